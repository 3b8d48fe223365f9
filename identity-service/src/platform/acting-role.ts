import { readRows } from '@platform/service-kit/database/rows.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { type Actor, personOf } from './actor.ts';
import { hasRightsOf, type Role, roleColumn, roleMissingError } from './role.ts';

/**
 * The role of the acting person, locked until the transaction ends; undefined for any other actor. Call it before other rows
 * are locked, in the same order as changes of a team. A person who is removed concurrently cannot create anything after it.
 * @throws AppError permission_denied for a person who is no developer or owner of the business
 */
export async function lockActingRole(
  client: Prisma.TransactionClient,
  actor: Actor,
  businessId: number,
): Promise<Role | undefined> {
  const personId = personOf(actor);
  if (personId === undefined) return undefined;
  const statement = client.$queryRaw`
    SELECT role::text FROM memberships
    WHERE person_id = ${personId} AND business_id = ${BigInt(businessId)} FOR SHARE`;
  const [membership] = await readRows(z.object({ role: roleColumn }), statement);
  if (membership === undefined) {
    throw new AppError('permission_denied', 'not_member', 'only members of the business may do this');
  }
  if (!hasRightsOf(membership.role, 'developer')) throw roleMissingError('developer');
  return membership.role;
}
