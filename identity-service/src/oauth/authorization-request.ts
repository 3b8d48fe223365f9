import type { Application } from '../credentials/applications/application.ts';
import { matchesRedirectUri } from '../credentials/applications/redirect-uri.ts';
import { type ApiScopes, knownScopes } from '../platform/scope.ts';
import { type AuthorizationServer, errorParameters, OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { describeParameter, type Query, requestedScopes } from './parameters.ts';
import { checkChallengeFormat } from './pkce.ts';

/** A valid authorization request (contract 4.1). */
export interface AuthorizationRequest {
  readonly applicationId: string;
  readonly redirectUri: string;
  /** As it was sent: still encoded. */
  readonly state: string;
  readonly codeChallenge: string;
  /** Sorted. */
  readonly scopes: readonly string[];
}

/** Where the authorization response goes: a registered redirect URI. */
export interface ReturnAddress {
  readonly redirectUri: string;
  /** As it was sent: still encoded; absent when it was missing or repeated. */
  readonly state: string | undefined;
}

/** The return address; undefined, so that no redirect happens, for an unregistered redirect URI (RFC 6749 section 4.1.2.1). */
export function findReturnAddress(application: Application, query: Query): ReturnAddress | undefined {
  const redirectUri = query.get('redirect_uri');
  if (redirectUri === undefined) return undefined;
  if (!application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) {
    return undefined;
  }
  return { redirectUri, state: query.getRaw('state') };
}

/** Checks a request in the order of the contract's table. @throws OAuthError with the first error */
export function checkAuthorizationRequest(
  apiScopes: ApiScopes,
  { id, scopes }: Pick<Application, 'id' | 'scopes'>,
  { redirectUri, state }: ReturnAddress,
  query: Query,
): AuthorizationRequest {
  const [repeated] = query.repeated;
  if (repeated !== undefined) {
    throw new OAuthError('invalid_request', `${describeParameter(repeated)} is given twice`);
  }
  checkUnsupported(query);
  checkResponseType(query.get('response_type'));
  if (state === undefined) throw new OAuthError('invalid_request', 'state is missing');
  const codeChallenge = checkChallengeFormat(required(query, 'code_challenge'));
  checkChallengeMethod(required(query, 'code_challenge_method'));
  return {
    applicationId: id,
    redirectUri,
    state,
    codeChallenge,
    scopes: requestedScopes(query.get('scope'), knownScopes(apiScopes, scopes)),
  };
}

/** Refuses parameters that change the meaning of the request or the target of its response (OpenID Connect Core 3.1.2.6, 6). */
function checkUnsupported(query: Query): void {
  for (const name of ['request', 'request_uri'] as const) {
    if (query.get(name) !== undefined)
      throw new OAuthError(`${name}_not_supported`, `${name} is not supported`);
  }
  const mode = query.get('response_mode');
  if (mode !== undefined && mode !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query');
  }
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

/** An authorization response: a code, or an error (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse =
  | { readonly code: string }
  | { readonly error: OAuthErrorCode; readonly description: string };

/**
 * URL of the redirect (RFC 6749 section 4.1.2, RFC 9207). The state is returned byte for byte, never decoded.
 */
export function redirectTarget(
  { redirectUri, state }: ReturnAddress,
  response: AuthorizationResponse,
  server: AuthorizationServer,
): string {
  const parameters = new URLSearchParams(
    'code' in response
      ? { code: response.code }
      : errorParameters(server, response.error, visibleAscii(response.description)),
  );
  const echoed = state === undefined ? '' : `&state=${escapeForeign(state)}`;
  return `${redirectUri}${separator(redirectUri)}${parameters}${echoed}&iss=${encodeURIComponent(server.issuer)}`;
}

function separator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return /[?&]$/.test(uri) ? '' : '&';
}

/** Escapes what a query cannot hold (RFC 3986 section 3.4), byte by byte: Node reads a request line as Latin-1. */
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
