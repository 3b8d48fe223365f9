import { AppError } from '@platform/service-kit/app-error.ts';
import type { Membership } from '../people/person.ts';

export type Role = Membership['role'];

/** Somebody who belongs to a business. Times are milliseconds since 1970. */
export interface TeamMember {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: number;
  readonly hasSecondFactor: boolean;
  /** Undefined when nothing is known of lately. */
  readonly lastSeenAt: number | undefined;
}

/** A mail address that was asked to join a business, and may still do so. Times are milliseconds since 1970. */
export interface Invitation {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  /** Empty when the account is gone. */
  readonly inviterName: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An invitation as whoever holds its token finds it. */
export interface HeldInvitation extends Invitation {
  readonly businessId: number;
  readonly invitedBy: string;
}

/** Members and open invitations that a business may have together. */
export const maxTeam = 100;

/** A member whom a transaction holds. */
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

/** @throws AppError unless the person is an owner at this moment: it may have been one when it asked */
export function checkOwner(members: readonly LockedMember[], personId: string): void {
  if (members.find((member) => member.personId === personId)?.role === 'owner') return;
  throw new AppError('permission_denied', 'not_owner', 'only owners of the business may do this');
}

/** @throws AppError when nobody of the team is this person */
export function memberOf(members: readonly LockedMember[], personId: string): LockedMember {
  const member = members.find((candidate) => candidate.personId === personId);
  if (member !== undefined) return member;
  throw new AppError('not_found', 'member_not_found', 'nobody of the team is this person');
}

/**
 * A business always has an owner.
 * @param next role that the member would have; undefined for none
 * @throws AppError when the last owner would be gone
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
    'a business needs an owner, and this is the only one: make somebody else an owner first',
  );
}
