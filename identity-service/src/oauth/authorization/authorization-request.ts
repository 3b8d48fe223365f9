import type { Application } from '../../applications/application.ts';
import { matchesRedirectUri } from '../../applications/redirect-uri.ts';
import type { Scope } from '../../authorization/scope.ts';
import { OAuthError } from '../oauth-error.ts';
import { checkChallengeFormat } from '../pkce/code-challenge.ts';
import { requestedScopes } from '../requested-scopes.ts';
import type { Query } from './query.ts';

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
