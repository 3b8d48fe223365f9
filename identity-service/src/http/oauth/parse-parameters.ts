import { OAuthError } from '../../oauth/oauth-error.ts';
import type { Parameters } from '../../oauth/parameters.ts';

/** Parameters of an `application/x-www-form-urlencoded` body. @throws OAuthError invalid_request when one comes twice */
export function parseFormParameters(body: string): Parameters {
  const pairs = [...new URLSearchParams(body)];
  return toParameters(pairs);
}

/**
 * Parameters of an `application/json` body: one object, every value a string, every name once.
 * @throws OAuthError invalid_request for everything else
 */
export function parseJsonParameters(body: string): Parameters {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  const pairs = Object.entries(value).map(([name, field]): [string, string] => {
    if (typeof field !== 'string')
      throw new OAuthError('invalid_request', 'every parameter must be a string');
    return [name, field];
  });
  // JSON.parse keeps the last of several. Names and values are all there is in such text, so any other string is one.
  const strings = body.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  if (strings.length !== 2 * pairs.length) throw duplicated();
  return toParameters(pairs);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw malformed();
  }
}

function toParameters(pairs: readonly (readonly [string, string])[]): Parameters {
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw duplicated();
  // PostgreSQL has no text with NUL, and nothing that is looked up there has one.
  if (pairs.some(([, value]) => value.includes('\0'))) throw malformed();
  return new Map(pairs.filter(([, value]) => value !== ''));
}

function duplicated(): OAuthError {
  return new OAuthError('invalid_request', 'a parameter is given twice');
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', 'the body is malformed');
}
