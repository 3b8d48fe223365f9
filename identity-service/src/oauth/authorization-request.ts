import type { Application } from '../applications/application.ts';
import { matchesRedirectUri } from '../applications/redirect-uri.ts';
import type { Scope } from '../platform/scope.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { type Query, requestedScopes } from './parameters.ts';
import { checkChallengeFormat } from './pkce.ts';

/** An authorization request that is in order (contract 4.1). */
export interface AuthorizationRequest {
  readonly applicationId: string;
  readonly redirectUri: string;
  /** As it was sent: still encoded. */
  readonly state: string;
  readonly codeChallenge: string;
  /** Sorted. */
  readonly scopes: readonly Scope[];
}

/** Where an answer goes: to an address that is the application's own. */
export interface ReturnAddress {
  readonly redirectUri: string;
  /** As it was sent: still encoded; absent when it was missing or repeated. */
  readonly state: string | undefined;
}

/**
 * Where to answer. Undefined while it is not certain that the address is the application's own: then nobody is sent
 * anywhere (RFC 6749 section 4.1.2.1).
 */
export function findReturnAddress(application: Application, query: Query): ReturnAddress | undefined {
  const redirectUri = query.get('redirect_uri');
  if (redirectUri === undefined) return undefined;
  if (!application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) {
    return undefined;
  }
  return { redirectUri, state: query.getRaw('state') };
}

/** The request, in the order in which its table stands in the contract. @throws OAuthError with the first fault */
export function checkAuthorizationRequest(
  { id, scopes }: Pick<Application, 'id' | 'scopes'>,
  { redirectUri, state }: ReturnAddress,
  query: Query,
): AuthorizationRequest {
  const [repeated] = query.repeated;
  if (repeated !== undefined) throw new OAuthError('invalid_request', 'a parameter is given twice');
  checkResponseType(query.get('response_type'));
  if (state === undefined) throw new OAuthError('invalid_request', 'state is missing');
  const codeChallenge = checkChallengeFormat(required(query, 'code_challenge'));
  checkChallengeMethod(required(query, 'code_challenge_method'));
  return {
    applicationId: id,
    redirectUri,
    state,
    codeChallenge,
    scopes: requestedScopes(query.get('scope'), scopes),
  };
}

function checkResponseType(type: string | undefined): void {
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is missing');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code');
}

function checkChallengeMethod(method: string): void {
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
}

function required(query: Query, name: string): string {
  const value = query.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  return value;
}

/** What an application is told at its redirect URI. */
export type AuthorizationAnswer =
  | { readonly code: string }
  | { readonly error: OAuthErrorCode; readonly description: string };

/**
 * The address that the browser is sent to (RFC 6749 section 4.1.2, RFC 9207). The state goes back as it came, without
 * being decoded and encoded again.
 * @param issuer names this authorization server
 */
export function redirectTarget(
  { redirectUri, state }: ReturnAddress,
  answer: AuthorizationAnswer,
  issuer: string,
): string {
  const parameters = new URLSearchParams(
    'code' in answer
      ? { code: answer.code }
      : { error: answer.error, error_description: visibleAscii(answer.description) },
  );
  const echoed = state === undefined ? '' : `&state=${escapeForeign(state)}`;
  return `${redirectUri}${separator(redirectUri)}${parameters}${echoed}&iss=${encodeURIComponent(issuer)}`;
}

function separator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return /[?&]$/.test(uri) ? '' : '&';
}

/** Characters that a query cannot hold (RFC 3986 section 3.4), byte by byte; Node reads a request line as Latin-1. */
function escapeForeign(text: string): string {
  return text.replace(/[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]/g, (character) => {
    const bytes = Buffer.from(character, 'latin1');
    return `%${bytes.toString('hex').toUpperCase()}`;
  });
}

/** RFC 6749 section 4.1.2.1: error_description is visible ASCII without `"` and `\`. */
function visibleAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?');
}
