import type { Actor } from '../audit/audit-event.ts';
import type { HeldInvitation } from '../team/team.ts';

/** A mail address that was shown to be somebody's own. */
export interface ConfirmedAddress {
  /** Lower case. */
  readonly email: string;
  /** What the sign-up is kept under. */
  readonly tokenHash: Buffer;
}

/** The person that a sign-up becomes. */
export interface NewPerson {
  readonly personId: string;
  readonly name: string;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /** The business to which the person belongs at once: a new one as its owner, or one that has invited the person. */
  readonly home: { readonly ownBusinessId: number } | { readonly invitation: HeldInvitation };
  readonly actor: Actor;
}

/** Where sign-ups wait for their mail address to be confirmed. */
export interface SignUpStore {
  /** Keeps one for an hour. @param email lower case */
  insert(tokenHash: Buffer, email: string): Promise<void>;
  /** The address of a token whose time is not over. */
  find(tokenHashes: readonly Buffer[]): Promise<ConfirmedAddress | undefined>;
  /**
   * Uses it up: the person and its membership, all or nothing. When the password was set; undefined when the sign-up is
   * gone, or the address belongs to a person by now.
   * @throws AppError when the invitation is over by now
   */
  complete(tokenHash: Buffer, person: NewPerson): Promise<number | undefined>;
}
