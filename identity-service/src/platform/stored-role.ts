import { z } from 'zod';
import type { JsonObject } from './actor.ts';
import type { Role } from './role.ts';

/*
 * Roles as PostgreSQL, the audit log and the log of revocations have them. A developer has the name from before there were
 * viewers, which the release before reads and writes.
 */

const storedNames = { viewer: 'viewer', developer: 'member', owner: 'owner' } as const satisfies Record<
  Role,
  string
>;

type StoredRole = (typeof storedNames)[Role];

const roleNames: Readonly<Record<StoredRole, Role>> = {
  viewer: 'viewer',
  member: 'developer',
  owner: 'owner',
};

/** A column of roles. One that this version does not know fails: no person has rights by it. */
export const roleColumn = z
  .enum(['viewer', 'member', 'owner'] satisfies StoredRole[])
  .transform((stored): Role => roleNames[stored]);

/** A role as a statement writes it. */
export function storedRole(role: Role): StoredRole {
  return storedNames[role];
}

/** Details of an audit event as they are stored. */
export function toStoredDetails(details: JsonObject): JsonObject {
  return withRoles(details, storedNames);
}

/** Details of an audit event as they were before they were stored. */
export function fromStoredDetails(
  details: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return withRoles(details, roleNames);
}

/** Replaces the name of a role in `role`, also before and after a change. Any other value stays. */
function withRoles<Details extends { readonly role?: unknown }>(
  details: Details,
  names: Readonly<Record<string, string>>,
): Details {
  const { role } = details;
  if (role === undefined) return details;
  const renamed = (value: unknown) =>
    typeof value === 'string' && Object.hasOwn(names, value) ? names[value] : value;
  const change = z.record(z.string(), z.unknown()).safeParse(role).data;
  if (change === undefined) return { ...details, role: renamed(role) };
  return {
    ...details,
    role: Object.fromEntries(Object.entries(change).map(([when, value]) => [when, renamed(value)])),
  };
}
