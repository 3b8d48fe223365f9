import type { AuditEvent } from '../audit/audit-event.ts';
import type { HeldInvitation, Invitation, Role, TeamMember } from './team.ts';

/** Where teams are kept. */
export interface TeamStore {
  /** Members of a business, longest first. */
  members(businessId: number): Promise<TeamMember[]>;
  /** Open invitations of a business, newest first. */
  invitations(businessId: number): Promise<Invitation[]>;
  /** The open invitation of a token. */
  findInvitation(tokenHashes: readonly Buffer[]): Promise<HeldInvitation | undefined>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: TeamTransaction) => Promise<T>): Promise<T>;
}

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

/** What one transaction can do. */
export interface TeamTransaction {
  /** All members of a business. Until the transaction ends nobody else changes or removes any of them. */
  lockMembers(businessId: number): Promise<LockedMember[]>;
  /** Open invitations of a business, but for one address. */
  countInvitations(businessId: number, exceptEmail: string): Promise<number>;
  /** Adds an invitation for a week, in the place of the one that its address had. */
  putInvitation(invitation: NewInvitation): Promise<Invitation>;
  /** Takes back one invitation, or all that a person has sent. Resolves to what was taken back. */
  removeInvitations(
    businessId: number,
    which: { readonly id: string } | { readonly invitedBy: string },
  ): Promise<Pick<Invitation, 'id' | 'email'>[]>;
  /** Uses an invitation up. False when it is over. */
  takeInvitation(id: string): Promise<boolean>;
  /** A membership that there is already stays as it is. */
  addMember(personId: string, businessId: number, role: Role): Promise<void>;
  setRole(personId: string, businessId: number, role: Role): Promise<void>;
  removeMember(personId: string, businessId: number): Promise<void>;
  audit(event: AuditEvent): Promise<void>;
}
