import { AppError } from '@platform/service-kit/app-error.ts';
import type { Scope } from '../authorization/scope.ts';
import { checkName } from '../name.ts';
import type { ApiKey } from './api-key.ts';
import { checkDescription } from './key-label.ts';
import { checkScopes, invalidArgument } from './key-scopes.ts';

/** What a caller asks to change; absent fields stay as they are. */
export interface KeyUpdate {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Whether the kind was named at all: it never changes. */
  readonly keyTypeGiven: boolean;
  /** Whether the expiration was named at all: it never changes. */
  readonly expirationGiven: boolean;
}

/** A change that the rules allow, with every field as it will stand. */
export interface AllowedUpdate {
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  /** Whether the scopes were named: then cached decisions about the key have to go. */
  readonly touchesAccess: boolean;
}

/**
 * What may change (contract 2.5, 3.1): of a secret key name and description, of a restricted key its scopes too. An
 * expired key may still be renamed, but what it may do no longer changes.
 * @throws AppError with the reason
 */
export function checkUpdate(key: ApiKey, update: KeyUpdate): AllowedUpdate {
  const { name, description, scopes } = update;
  if (update.keyTypeGiven) throw invalidArgument('key_type_immutable', 'the type of a key cannot be changed');
  if (update.expirationGiven) {
    throw invalidArgument('expiration_immutable', 'the expiration of a key cannot be changed');
  }
  if (name === undefined && description === undefined && scopes === undefined) {
    throw invalidArgument('empty_update', 'nothing to change is given');
  }
  if (scopes !== undefined) checkScopesMayChange(key);
  return {
    name: name === undefined ? key.name : checkName(name),
    description: description === undefined ? key.description : checkDescription(description),
    scopes: scopes === undefined ? key.scopes : checkScopes(key.keyType, scopes),
    touchesAccess: scopes !== undefined,
  };
}

function checkScopesMayChange(key: ApiKey): void {
  if (key.keyType === 'secret') {
    throw invalidArgument('scopes_immutable', 'a secret key has no scopes to change');
  }
  checkActive(key);
}

/** @throws AppError when the key is past its expiration: what it may do no longer changes */
export function checkActive(key: ApiKey): void {
  if (key.status === 'expired') {
    throw new AppError(
      'failed_precondition',
      'api_key_expired',
      'the key has expired; it can only be renamed or deleted',
    );
  }
}
