import { AppError } from '@platform/service-kit/values/app-error.ts';
import { type Role, roleMissingError } from '../../platform/role.ts';

/** Member of a business. Times are milliseconds since 1970. */
export interface TeamMember {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: number;
  readonly hasSecondFactor: boolean;
  /** Undefined when no recent activity is known. */
  readonly lastSeenAt: number | undefined;
}

/** Open invitation of an email address to join a business. Times are milliseconds since 1970. */
export interface Invitation {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  /** Empty when the account was deleted. */
  readonly inviterName: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An open invitation, as found by its token. */
export interface HeldInvitation extends Invitation {
  readonly businessId: number;
  readonly invitedBy: string;
}

/** Most members and open invitations of a business together. */
export const maxTeam = 100;

/** A member whose row a transaction has locked. */
export type LockedMember = Pick<TeamMember, 'personId' | 'email' | 'role'>;

export interface NewInvitation {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly businessId: number;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
}

/** Checks under the lock that the person is still an owner. @throws AppError permission_denied */
export function checkOwner(members: readonly LockedMember[], personId: string): void {
  if (members.find((member) => member.personId === personId)?.role === 'owner') return;
  throw roleMissingError('owner');
}

/** The member that is this person. @throws AppError not_found */
export function memberOf(members: readonly LockedMember[], personId: string): LockedMember {
  const member = members.find((candidate) => candidate.personId === personId);
  if (member !== undefined) return member;
  throw memberNotFound();
}

export function memberNotFound(): AppError {
  return new AppError('not_found', 'member_not_found', 'no such team member');
}

/**
 * Checks that a business keeps an owner.
 * @param next new role of the member; undefined for a member who leaves
 * @throws AppError failed_precondition for the last owner
 */
export function checkOwnerRemains(
  members: readonly LockedMember[],
  { personId }: LockedMember,
  next: Role | undefined,
): void {
  const remains = members.some((member) =>
    member.personId === personId ? next === 'owner' : member.role === 'owner',
  );
  if (remains) return;
  throw new AppError(
    'failed_precondition',
    'last_owner',
    'a business needs an owner, and this is the only one: make another member an owner first',
  );
}
