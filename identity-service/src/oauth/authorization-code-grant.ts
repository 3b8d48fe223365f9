import { normalRedirectUri } from '../credentials/applications/redirect-uri.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { OAuthError } from './oauth-error.ts';
import { requireParameter } from './parameters.ts';
import { checkVerifierFormat, matchesChallenge } from './pkce.ts';
import { createTokenPair, type TokenPair } from './token-pair.ts';
import {
  endReusedGrant,
  refuseSuspended,
  requireSecret,
  type TokenDeps,
  type TokenRequest,
} from './token-request.ts';
import type { StoredCode, TokenTransaction } from './token-store.ts';

/** Parameters that must match the code's. */
interface CodeClaim {
  readonly verifier: string;
  /** Optional here (contract 4.3). If it is sent, its normal form must equal that of the authorization request. */
  readonly redirectUri: string | undefined;
}

/** Why a code gets no tokens. */
export interface CodeError {
  /** Public sentence. */
  readonly text: string;
  readonly reason: OAuthReason;
}

/** Reason to refuse the first use of a code; undefined when it gets tokens. */
export function findCodeError(
  code: Pick<StoredCode, 'grantIsLive' | 'redirectUri' | 'challenge' | 'scopes' | 'expiresAt' | 'readAt'>,
  { verifier, redirectUri }: CodeClaim,
): CodeError | undefined {
  if (!code.grantIsLive) return unusable('oauth_connection_ended');
  if (code.readAt >= code.expiresAt) return unusable('code_expired');
  if (redirectUri !== undefined && normalRedirectUri(redirectUri) !== normalRedirectUri(code.redirectUri)) {
    return { text: 'redirect_uri differs from the authorization request', reason: 'code_redirect_uri' };
  }
  if (!matchesChallenge(verifier, code.challenge)) {
    return { text: 'code_verifier does not match the code_challenge', reason: 'code_verifier' };
  }
  if (code.scopes.length === 0) {
    return { text: 'the application may no longer request any approved scope', reason: 'oauth_scopes' };
  }
  return undefined;
}

/** The refusal of a code that the client only learns to be invalid. */
export function codeRefusal(reason: OAuthReason): OAuthError {
  const { text } = unusable(reason);
  return new OAuthError('invalid_grant', text, reason);
}

/** Refusals for which the client only learns that the code is not valid. */
function unusable(reason: OAuthReason): CodeError {
  return { text: 'the authorization code is not valid: unknown, expired or used before', reason };
}

type Exchange =
  | { readonly kind: 'issued'; readonly pair: TokenPair }
  | {
      readonly kind: 'refused';
      readonly error: CodeError;
      /** Ends for it. */
      readonly reusedGrantId?: string;
    };

/**
 * Grant type authorization_code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). A malformed verifier leaves the code
 * valid, a wrong one consumes it, and a second use of a code ends the Grant with every token of it.
 * @throws OAuthError
 */
export async function exchangeCode(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const { parameters } = request;
  const code = requireParameter(parameters, 'code');
  const verifier = checkVerifierFormat(requireParameter(parameters, 'code_verifier'));
  const claim = { verifier, redirectUri: parameters.get('redirect_uri') };
  const hashes = deps.hasher.candidates(code);
  const exchange = await deps.tokens.inTransaction((transaction) =>
    exchangeWithin(transaction, deps, request, hashes, claim),
  );
  if (exchange.kind === 'issued') return exchange.pair;
  const { reusedGrantId, error } = exchange;
  if (reusedGrantId !== undefined) await endReusedGrant(deps, request, reusedGrantId, 'code_reuse');
  throw new OAuthError('invalid_grant', error.text, error.reason);
}

async function exchangeWithin(
  transaction: TokenTransaction,
  { hasher, lifetimes }: TokenDeps,
  request: TokenRequest,
  hashes: readonly Buffer[],
  claim: CodeClaim,
): Promise<Exchange> {
  const { client } = request;
  const code = await transaction.findCode(client.applicationId, hashes);
  if (code === undefined) return { kind: 'refused', error: unusable('code_unknown') };
  await requireSecret(transaction, request);
  if (code.grantIsLive) refuseSuspended(code.suspended);
  if (!(await transaction.consumeCode(code))) {
    // Burned by a concurrent request: no tokens were issued.
    if (!(await transaction.isCodeUsed(code.hash)))
      return { kind: 'refused', error: unusable('code_unknown') };
    const reason = code.grantIsLive ? 'code_used' : 'oauth_connection_ended';
    return { kind: 'refused', error: unusable(reason), reusedGrantId: code.grantId };
  }
  const scopes = code.scopes.filter((scope) => client.scopes.includes(scope));
  const error = findCodeError({ ...code, scopes }, claim);
  if (error !== undefined) {
    await transaction.burnCode(code.hash);
    return { kind: 'refused', error };
  }
  const terms = { grantId: code.grantId, scopes, refreshScopes: code.scopes };
  const { pair, stored } = createTokenPair(hasher, lifetimes, terms);
  await transaction.insertTokens(stored);
  return { kind: 'issued', pair };
}
