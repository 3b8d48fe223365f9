import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { ApiKeyStatus } from '../../platform/expiry.ts';
import { type ApiScopes, choosableScopes } from '../../platform/scope.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import {
  checkChange,
  givenSettings,
  type KeySettings,
  type KeyType,
  type SettingsChange,
  type SettingsUpdate,
} from './settings.ts';

/** An API key. Times are milliseconds since 1970; `status` is by the database's clock. */
export interface ApiKey extends KeySettings {
  /** Stable across rotation. */
  readonly id: string;
  readonly businessId: number;
  readonly keyType: KeyType;
  readonly status: ApiKeyStatus;
  /** Last four characters of the key string. */
  readonly lastFour: string;
  /** Requests per rolling hour. */
  readonly limit: number;
  /** The limit that operators granted. Owners can lower the limit and raise it again up to this value. */
  readonly grantedLimit: number;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** Active, and expires within two weeks. */
  readonly expiresSoon: boolean;
  readonly rotatedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
  /** Undefined for an operator, and for a person whose account was deleted. */
  readonly createdBy: KeyPerson | undefined;
  /** The person who saw the present key string, at its creation or last rotation; undefined as above. */
  readonly secretSeenBy: KeyPerson | undefined;
  /** Undefined unless the key is frozen. */
  readonly freeze: KeyFreeze | undefined;
}

/** A freeze of one key: gateways refuse its requests until it is lifted. */
export interface KeyFreeze {
  /** Milliseconds since 1970. */
  readonly frozenAt: number;
  /** May be empty. */
  readonly reason: string;
  /** Undefined for an operator and for the platform itself; the name is empty when the account was deleted. */
  readonly frozenBy: { readonly personId: string; readonly name: string } | undefined;
}

/** A person who has to do with a key. */
export interface KeyPerson {
  readonly personId: string;
  readonly name: string;
  /** Whether the person belongs to the team of the business. */
  readonly isMember: boolean;
}

/** Stored part of a key string. */
export interface StoredSecret {
  readonly hash: Buffer<ArrayBuffer>;
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
  readonly settings: KeySettings;
  readonly keyType: KeyType;
  readonly limit: number;
  readonly expiresAt: number | undefined;
  /** Identifier of the person who creates it; undefined for an operator. */
  readonly createdBy: string | undefined;
  readonly secret: StoredSecret;
}

/** Identifies one key of one business. */
export interface ApiKeyReference {
  readonly businessId: number;
  readonly apiKeyId: string;
}

/** Requests per rolling hour of a new key (contract 8). */
export const defaultLimit = 10_000;

const maxLimit = 10_000_000;

/** Checks a limit. @throws AppError unless it is 1 to `max` */
export function checkLimit(limit: number, max = maxLimit): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return;
  const text = `limit must be 1 to ${max.toLocaleString('en')} requests per hour`;
  throw new AppError('invalid_argument', 'invalid_limit', text);
}

/** The same error for a missing key and for one of another business. */
export function keyNotFound(): AppError {
  return new AppError('not_found', 'api_key_not_found', 'no such API key');
}

/** Granted scopes: all of the API for a secret key, its own for a restricted key. */
export function grantedScopes(
  apiScopes: ApiScopes,
  { keyType, scopes }: Pick<ApiKey, 'keyType' | 'scopes'>,
): readonly string[] {
  return keyType === 'secret' ? [...apiScopes.keys()] : scopes;
}

function invalidArgument(reason: string, text: string): AppError {
  return new AppError('invalid_argument', reason, text);
}

/** Requested changes. */
export interface KeyUpdate {
  readonly settings: SettingsUpdate;
  /** The request contains a key type, which never changes. */
  readonly keyTypeGiven: boolean;
  /** The request contains an expiration, which never changes. */
  readonly expirationGiven: boolean;
}

/** A change that the rules allow. */
export interface AllowedUpdate {
  readonly change: SettingsChange;
  /** The request contains scopes or an IP whitelist, so cached authorizations of the key become invalid. */
  readonly touchesAccess: boolean;
}

const accessFields: ReadonlySet<string> = new Set<keyof KeySettings>(['scopes', 'ipWhitelist']);

/**
 * Checks a change (contract 2.5, 3.1): the settings, and the scopes of a restricted key only, which may keep those that the
 * API has no longer. The scopes and the IP whitelist of an expired key no longer change.
 * @throws AppError with the reason
 */
export function checkUpdate(
  apiScopes: ApiScopes,
  key: Pick<ApiKey, 'keyType' | 'status' | 'scopes'>,
  { settings, keyTypeGiven, expirationGiven }: KeyUpdate,
): AllowedUpdate {
  if (keyTypeGiven) throw invalidArgument('key_type_immutable', 'the type of a key cannot be changed');
  if (expirationGiven) {
    throw invalidArgument('expiration_immutable', 'the expiration of a key cannot be changed');
  }
  const given = givenSettings(settings);
  if (given.length === 0) throw invalidArgument('empty_update', 'the request contains no changes');
  if (given.includes('scopes')) checkScopesMayChange(key);
  if (given.includes('ipWhitelist')) checkActive(key);
  return {
    change: checkChange(choosableScopes(apiScopes, key.scopes), key.keyType, settings),
    touchesAccess: given.some((name) => accessFields.has(name)),
  };
}

function checkScopesMayChange(key: Pick<ApiKey, 'keyType' | 'status'>): void {
  if (key.keyType === 'secret') {
    throw invalidArgument('scopes_immutable', 'a secret key has no scopes to change');
  }
  checkActive(key);
}

/** Checks that a key has not expired. @throws AppError failed_precondition */
export function checkActive(key: Pick<ApiKey, 'status'>): void {
  if (key.status === 'expired') {
    throw new AppError(
      'failed_precondition',
      'api_key_expired',
      'the key has expired; it can only be renamed or deleted',
    );
  }
}

/** Prefixes of key strings (contract 5.3). */
const prefixes = { secret: 'sk', restricted: 'rk' } as const satisfies Record<KeyType, string>;

/** Creates a key string, and its stored part. */
export function createSecret(
  hasher: SecretHasher,
  keyType: KeyType,
): { readonly keyString: string; readonly stored: StoredSecret } {
  const keyString = hasher.createCredential(prefixes[keyType]);
  return { keyString, stored: { hash: hasher.hash(keyString), lastFour: keyString.slice(-4) } };
}
