/** Somebody who signs in. Times are milliseconds since 1970. */
export interface Person {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  /** When the password was set; every session remembers the one that it was begun with. */
  readonly passwordSetAt: number;
  readonly secondFactor: SecondFactorState;
  /** Recovery codes that are left. */
  readonly recoveryCodes: number;
}

/** `offered`: a secret has been made, and no code of it was shown yet. */
export type SecondFactorState = 'off' | 'offered' | 'on';

/** A person with what proves who it is. */
export interface PersonWithSecrets extends Person {
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /** Sealed secret of the second factor. */
  readonly totpSecret: Uint8Array | undefined;
}

/** A person's part in a business. */
export interface Membership {
  readonly businessId: number;
  readonly role: 'owner' | 'member';
}
