import type { Actor } from '../audit/audit-event.ts';

/** A mail address that was shown to be somebody's own. */
export interface ConfirmedAddress {
  /** Lower case. */
  readonly email: string;
  /** What the sign-up is kept under. */
  readonly tokenHash: Buffer;
}

/** The person that a sign-up becomes. */
export interface NewOwner {
  readonly personId: string;
  readonly name: string;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  readonly businessId: number;
  readonly actor: Actor;
}

/** Where sign-ups wait for their mail address to be confirmed. */
export interface SignUpStore {
  /** Keeps one for an hour. @param email lower case */
  insert(tokenHash: Buffer, email: string): Promise<void>;
  /** The address of a token whose time is not over. */
  find(tokenHashes: readonly Buffer[]): Promise<ConfirmedAddress | undefined>;
  /**
   * Uses it up: the person and its membership as owner, all or nothing. When the password was set; undefined when the
   * sign-up is gone, or the address belongs to a person by now.
   */
  complete(tokenHash: Buffer, owner: NewOwner): Promise<number | undefined>;
}
