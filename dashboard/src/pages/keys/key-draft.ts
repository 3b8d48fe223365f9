import type { Scope } from '../../api/scopes.ts';
import type { ApiKeyDetail, ApiKeyType } from './api-keys.ts';
import { type Lifetime, lifetimeOf } from './lifetime.ts';
import { usedScopes } from './scope-use.ts';

/** What the form for a new key holds. */
export interface KeyDraft {
  readonly name: string;
  readonly description: string;
  readonly keyType: ApiKeyType;
  /** Kept while the type is secret, in case it is changed back. */
  readonly scopes: readonly Scope[];
  readonly lifetime: Lifetime;
  /** For a lifetime of `date`: 2026-11-21. */
  readonly date: string;
}

/** What the form begins with. */
export const newDraft: KeyDraft = {
  name: '',
  description: '',
  keyType: 'restricted',
  scopes: [],
  lifetime: '90',
  date: '',
};

const maxNameLength = 100;
const suffix = ' (copy)';

/** A second key with the same settings. `now` is milliseconds since 1970. */
export function copyOf(key: ApiKeyDetail, now: number): KeyDraft {
  const { description, keyType, scopes } = key;
  return { name: copyName(key.name), description, keyType, scopes, ...lifetimeOf(key, now) };
}

/** A restricted key that may do what a key was really used for. */
export function restrictedCopyOf(key: ApiKeyDetail, now: number): KeyDraft {
  return { ...copyOf(key, now), keyType: 'restricted', scopes: usedScopes(key) };
}

/** "Shop (copy)", shortened where that would be too long. */
function copyName(name: string): string {
  const kept = [...name].slice(0, maxNameLength - suffix.length).join('');
  return `${kept.trimEnd()}${suffix}`;
}
