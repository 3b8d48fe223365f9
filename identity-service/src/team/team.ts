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
