import type { Actor } from '../audit/audit-event.ts';
import type { Membership, Person, PersonWithSecrets } from './person.ts';

/** Where people are kept. */
export interface PersonStore {
  find(personId: string): Promise<Person | undefined>;
  findWithSecrets(personId: string): Promise<PersonWithSecrets | undefined>;
  /** @param email lower case */
  findByEmail(email: string): Promise<PersonWithSecrets | undefined>;
  /** Businesses of a person, oldest membership first. */
  memberships(personId: string): Promise<Membership[]>;
  /** Whom a reset token belongs to, while it may be used. */
  findByReset(tokenHashes: readonly Buffer[]): Promise<PersonWithSecrets | undefined>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: PersonTransaction) => Promise<T>): Promise<T>;
}

/** What is recorded of an act of a person. */
export interface PersonAct {
  readonly actor: Actor;
  /** The business that it is about; absent for all of the person's, or 0 when it has none. */
  readonly businessId?: number;
  /** What happened, `subject.verb`. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What one transaction can do. */
export interface PersonTransaction {
  /**
   * Sets a new password in place of the one whose hash was read, and ends the person's sessions. When it was set;
   * undefined when somebody else was faster.
   */
  replacePassword(personId: string, read: string, next: string): Promise<number | undefined>;
  /** Lets a reset token be used for half an hour. */
  addReset(personId: string, tokenHash: Buffer): Promise<void>;
  /** Uses up a reset token and all others of its person. False when it cannot be used. */
  useReset(tokenHashes: readonly Buffer[]): Promise<boolean>;
  /** Puts a secret in the place of the one that was offered before. False when the second factor is on. */
  offerSecondFactor(personId: string, sealedSecret: Buffer): Promise<boolean>;
  /** Turns the offered second factor on with its first code. False when it is on already. */
  confirmSecondFactor(personId: string, step: number): Promise<boolean>;
  removeSecondFactor(personId: string): Promise<void>;
  /** Marks a time step as used. False when it, or a later one, was used already. */
  takeStep(personId: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(personId: string, hashes: readonly Buffer[]): Promise<void>;
  /** Uses up a recovery code. False when there is no such code left. */
  takeRecoveryCode(personId: string, candidates: readonly Buffer[]): Promise<boolean>;
  audit(personId: string, act: PersonAct): Promise<void>;
}
