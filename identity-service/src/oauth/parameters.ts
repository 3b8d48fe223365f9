import { FieldError } from '@platform/service-kit/http/errors.ts';
import { parseStrictJson } from '@platform/service-kit/http/strict-json.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { OAuthError } from './oauth-error.ts';

/** Parameters of a request by name, each once; one without a value counts as absent (RFC 6749 section 3.2). */
export type Parameters = ReadonlyMap<string, string>;

/** @throws OAuthError invalid_request when it is absent */
export function requireParameter(parameters: Parameters, name: string, reason?: OAuthReason): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`, reason);
  return value;
}

/** Parameters of an `application/x-www-form-urlencoded` body. @throws OAuthError invalid_request when one comes twice */
export function parseFormParameters(body: string): Parameters {
  return toParameters([...new URLSearchParams(body)]);
}

/**
 * Parameters of an `application/json` body: one object of strings, every name once.
 * @throws OAuthError invalid_request for any other body
 */
export function parseJsonParameters(body: string): Parameters {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  const pairs = Object.entries(value).map(([name, field]): [string, string] => {
    if (typeof field !== 'string') throw unreadable('every parameter must be a string');
    return [name, field];
  });
  return toParameters(pairs);
}

function parseJson(body: string): unknown {
  try {
    return parseStrictJson(body);
  } catch (error) {
    if (error instanceof FieldError) throw invalidParameter(error.field, error.problem);
    throw malformed();
  }
}

function toParameters(pairs: readonly (readonly [string, string])[]): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (parameters.has(name)) throw invalidParameter(name, 'is given twice');
    // PostgreSQL has no text with NUL, and nothing that is looked up there has one.
    if (value.includes('\0')) throw malformed();
    parameters.set(name, value);
  }
  return new Map([...parameters].filter(([, value]) => value !== ''));
}

function invalidParameter(name: string, problem: string): OAuthError {
  return unreadable(`${describeParameter(name)} ${problem}`);
}

/** The parameter's name, where `error_description` may hold it (RFC 6749 section 5.2). */
export const describeParameter = (name: string) => (/^[\w.-]+$/.test(name) ? name : 'a parameter');

function malformed(): OAuthError {
  return unreadable('the body is malformed');
}

/** Error for a body that is malformed or ambiguous. */
export function unreadable(description: string): OAuthError {
  return new OAuthError('invalid_request', description, 'oauth_unreadable');
}

/** A query string as it was sent. */
export interface Query {
  /** The decoded value of a parameter that is given once and not empty; undefined otherwise. */
  get(name: string): string | undefined;
  /** The same value, still encoded. */
  getRaw(name: string): string | undefined;
  /** The query as it was sent, without one parameter. */
  without(name: string): string;
  /** Names that are given more than once. */
  readonly repeated: readonly string[];
}

/** Parses a query without its question mark. Values keep their encoded form, so that one can be returned byte for byte. */
export function parseQuery(text: string): Query {
  const values = new Map<string, string[]>();
  const pairs = text.split('&').filter((pair) => pair !== '');
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const name = nameOf(pair);
    values.set(name, [...(values.get(name) ?? []), end === -1 ? '' : pair.slice(end + 1)]);
  }
  const getRaw = (name: string) => {
    const [value, ...more] = values.get(name) ?? [];
    return more.length > 0 || value === '' ? undefined : value;
  };
  return {
    get: (name) => {
      const raw = getRaw(name);
      return raw === undefined ? undefined : decode(raw);
    },
    getRaw,
    without: (name) => pairs.filter((pair) => nameOf(pair) !== name).join('&'),
    repeated: [...values].flatMap(([name, given]) => (given.length > 1 ? [name] : [])),
  };
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=');
  return decode(end === -1 ? pair : pair.slice(0, end));
}

/** Form decoding that never fails: invalid escapes stay as they are. */
function decode(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}

/**
 * The scopes of a `scope` parameter, sorted; all allowed ones when it is absent (RFC 6749 section 3.3).
 * @throws OAuthError invalid_scope for a scope that is not allowed, or for none
 */
export function requestedScopes(scope: string | undefined, allowed: readonly string[]): string[] {
  const names = scope?.split(' ').filter((name) => name !== '') ?? allowed;
  const chosen = allowed.filter((candidate) => names.includes(candidate));
  if (chosen.length === 0 || names.some((name) => !chosen.includes(name))) {
    throw new OAuthError('invalid_scope', `scope must be among: ${allowed.join(' ')}`);
  }
  return chosen;
}
