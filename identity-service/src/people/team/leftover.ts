import type { ApiKey } from '../../credentials/api-keys/api-key.ts';
import { type MemberKeyRules, mayHold } from '../../credentials/api-keys/member-rules.ts';
import type { Role } from '../../platform/role.ts';

/** Kinds of things that keep working after the person who made or has seen them loses the right to them. */
export const leftoverKinds = [
  'api_key',
  'client_secret',
  'redirect_uri',
  'ip_address',
  'allowed_origin',
  'webhook_endpoint',
] as const;

export type LeftoverKind = (typeof leftoverKinds)[number];

/** One of them. Times are milliseconds since 1970. */
export interface Leftover {
  /** Names it in a request that keeps it. */
  readonly id: string;
  readonly kind: LeftoverKind;
  /** Name of a key, end of a client secret, the entry, or the address of the endpoint. */
  readonly label: string;
  /** The application that it belongs to; undefined for none. */
  readonly application: { readonly id: string; readonly name: string } | undefined;
  /** Undefined where it is not known. */
  readonly madeAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  /** Number of entries of the same kind that other people made; 0 means that ending all of these leaves the app none. */
  readonly others: number;
}

/** Loss of a member by a new role. A removed member loses `all`. */
export type Loss = 'nothing' | 'beyond_developers' | 'all';

/** Loss of a person by a change of the role. @param to undefined for a removal */
export function lossOf(from: Role, to: Role | undefined): Loss {
  if (to === undefined || to === 'viewer') return from === 'viewer' && to === 'viewer' ? 'nothing' : 'all';
  return from === 'owner' && to === 'developer' ? 'beyond_developers' : 'nothing';
}

/** Whether the rules forbid developers to see the string of this key. */
export function isBeyondDevelopers(key: Pick<ApiKey, 'keyType' | 'scopes'>, rules: MemberKeyRules): boolean {
  return !mayHold(rules, key);
}
