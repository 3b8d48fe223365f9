import type { AuditEvent } from '../audit/audit-event.ts';
import type { Scope } from '../authorization/scope.ts';
import type { ApiKey, KeyType } from './api-key.ts';

/** What is kept of a key string. */
export interface StoredSecret {
  readonly hash: Buffer;
  readonly lastFour: string;
}

/** A key and the hash of its current key string. */
export interface KeyWithSecret {
  readonly key: ApiKey;
  readonly secretHash: Uint8Array;
}

/** A key to add. */
export interface NewApiKey {
  readonly id: string;
  readonly businessId: number;
  readonly name: string;
  readonly description: string;
  readonly keyType: KeyType;
  readonly scopes: readonly Scope[];
  readonly limit: number;
  readonly expiresAt: number | undefined;
  readonly secret: StoredSecret;
}

/** Where API keys are kept. */
export interface ApiKeyStore {
  find(businessId: number, id: string): Promise<ApiKey | undefined>;
  /** Newest first; all of them without `max`. */
  list(businessId: number, max?: number): Promise<ApiKey[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: ApiKeyTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. Changes resolve to the key as it stands afterwards. */
export interface ApiKeyTransaction {
  /** Adds a key, and the business's generation with its first key. */
  insert(key: NewApiKey): Promise<ApiKey>;
  /** Reads a key and keeps others from changing it until the transaction ends. */
  lock(businessId: number, id: string): Promise<ApiKey | undefined>;
  setFields(id: string, fields: Pick<NewApiKey, 'name' | 'description' | 'scopes'>): Promise<ApiKey>;
  setLimit(id: string, limit: number): Promise<ApiKey>;
  /** Reads a key with its secret, and keeps nobody from changing it. */
  readSecret(businessId: number, id: string): Promise<KeyWithSecret | undefined>;
  /**
   * Puts `next` in the place of the secret that was read. Undefined when another rotation, a deletion or the
   * expiration came first.
   */
  replaceSecret(read: KeyWithSecret, next: StoredSecret): Promise<ApiKey | undefined>;
  remove(id: string): Promise<void>;
  /** Raises the business's credential generation. Resolves to the new one. */
  raiseGeneration(businessId: number): Promise<number>;
  audit(event: AuditEvent): Promise<void>;
}
