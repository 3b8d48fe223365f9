import type { Scope } from '../authorization/scope.ts';
import type { ApiKeyStatus } from './api-key-status.ts';

/** Kind of an API key (contract 2.5); never changes. */
export type KeyType = 'secret' | 'restricted';

/** An API key as it was read. Times are milliseconds since 1970; `status` is on the database's clock. */
export interface ApiKey {
  /** Stable across rotation. */
  readonly id: string;
  readonly businessId: number;
  readonly name: string;
  readonly description: string;
  readonly keyType: KeyType;
  /** Sorted; empty for a secret key. */
  readonly scopes: readonly Scope[];
  readonly status: ApiKeyStatus;
  /** Last four characters of the key string. */
  readonly lastFour: string;
  /** Requests that any rolling hour admits. */
  readonly limit: number;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly rotatedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
}
