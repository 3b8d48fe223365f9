import type { Database } from '@platform/service-kit/database/database.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Prisma } from '../../generated/client.ts';
import type { Actor } from '../../platform/actor.ts';
import type { PrismaClient } from '../../platform/storage.ts';

/** Decisions that no operator makes about a business of their own. */
const decisions: ReadonlySet<string> = new Set([
  'business.verified',
  'business.verification_rejected',
  'business.banned',
  'business.unbanned',
  'business.ban_proposed',
  'business.unban_proposed',
  'business.ban_declined',
  'business.unban_declined',
  'limit_request.granted',
  'limit_request.declined',
  'api_key.limit_set',
  'application.limit_set',
  'application.suspended',
  'application.resumed',
]);

/** OperatorEvent that an operator is about to do. */
export interface Deciding {
  readonly actor: Actor;
  readonly action: string;
  /** Undefined for an action about no business. */
  readonly businessId?: number | undefined;
}

export type CheckImpartial = (deciding: Deciding) => Promise<void>;

/**
 * Refuses a decision of an operator about a business of their own. An operator of the shell is known where the login is the email
 * address of a person. @throws AppError own_business
 */
export async function checkImpartial(
  client: Prisma.TransactionClient,
  { actor, action, businessId }: Deciding,
): Promise<void> {
  if (actor.kind !== 'operator' || businessId === undefined || !decisions.has(action)) return;
  const rows: unknown[] = await client.$queryRaw`
    SELECT 1 FROM memberships m JOIN people p ON p.id = m.person_id
    WHERE m.business_id = ${BigInt(businessId)} AND (p.id = ${actor.id} OR p.email = lower(${actor.id})) LIMIT 1`;
  if (rows.length === 0) return;
  const text = 'you cannot decide about a business that you belong to: another operator must';
  throw new AppError('permission_denied', 'own_business', text);
}

/** The same before a change that is made elsewhere. */
export function createImpartialCheck(database: Database, prisma: PrismaClient): CheckImpartial {
  return (deciding) => database.run(() => checkImpartial(prisma, deciding));
}
