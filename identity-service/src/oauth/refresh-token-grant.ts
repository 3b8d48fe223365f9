import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { OAuthError } from './oauth-error.ts';
import { requestedScopes, requireParameter } from './parameters.ts';
import {
  checkIdempotencyKey,
  findRepeatedResponse,
  keepResponse,
  type RefreshRequest,
  repeatLimitMs,
} from './repeatable-refresh.ts';
import { createTokenPair, type TokenPair } from './token-pair.ts';
import {
  endReusedGrant,
  refuseSuspended,
  requireSecret,
  type TokenDeps,
  type TokenRequest,
} from './token-request.ts';
import type { Rotation, StoredRefreshToken, TokenTransaction } from './token-store.ts';

/** Why a used refresh token was presented again. */
type Reuse = 'repeated' | 'reused';

/**
 * A client that lost the response, or its second process, repeats the refresh within a minute, while the new tokens are
 * unused. A later repetition, or one after their use, means that the token was stolen (RFC 9700 section 4.14.2).
 */
export function classifyReuse({ usedAt, readAt, successor }: Rotation): Reuse {
  return readAt - usedAt < repeatLimitMs && successor?.isUsed !== true ? 'repeated' : 'reused';
}

type Refresh =
  | { readonly kind: 'issued'; readonly pair: TokenPair }
  | {
      readonly kind: 'refused';
      readonly reason: OAuthReason;
      /** Ends for it. */
      readonly reusedGrantId?: string;
    };

/**
 * Grant type refresh_token (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2). Of several refreshes with one
 * token, the first succeeds. A permitted repetition gets the same response. Any other is refused, and ends the Grant unless
 * it looks like an accident.
 * @throws OAuthError
 */
export async function refreshTokens(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const asked = readRefresh(request);
  const hashes = deps.hasher.candidates(asked.token);
  const refresh = await deps.tokens.inTransaction(async (transaction) => {
    const found = await transaction.findRefreshToken(request.client.applicationId, hashes);
    if (found === undefined) return refused('refresh_unknown');
    if (!found.grantIsLive) return refused('oauth_connection_ended');
    await requireSecret(transaction, request);
    refuseSuspended(found.suspended);
    const pair = found.isUsed ? undefined : await rotate(transaction, deps, request, asked, found);
    return pair === undefined ? handleUsed(transaction, deps, asked, found) : issued(pair);
  });
  if (refresh.kind === 'issued') return refresh.pair;
  const { reusedGrantId } = refresh;
  if (reusedGrantId !== undefined) await endReusedGrant(deps, request, reusedGrantId, 'refresh_reuse');
  throw refreshRefusal(refresh.reason);
}

/** The refusal of a refresh token: the client learns no more than that. */
export function refreshRefusal(reason: OAuthReason): OAuthError {
  const description = 'the refresh token is not valid: unknown, expired or used before';
  return new OAuthError('invalid_grant', description, reason);
}

const issued = (pair: TokenPair): Refresh => ({ kind: 'issued', pair });

const refused = (reason: OAuthReason): Refresh => ({ kind: 'refused', reason });

/** Undefined when the token has expired, or was used meanwhile. @throws OAuthError for scopes that it does not have */
async function rotate(
  transaction: TokenTransaction,
  { hasher, lifetimes }: TokenDeps,
  { client }: TokenRequest,
  asked: RefreshRequest,
  token: StoredRefreshToken,
): Promise<TokenPair | undefined> {
  const allowed = token.scopes.filter((scope) => client.scopes.includes(scope));
  const terms = {
    grantId: token.grantId,
    scopes: narrow(asked.scope, allowed),
    refreshScopes: token.scopes,
  };
  const { pair, stored } = createTokenPair(hasher, lifetimes, terms);
  if (!(await transaction.consumeRefreshToken(token.hash, stored.refresh.hash))) return undefined;
  await transaction.insertTokens(stored, keepResponse(hasher, asked, pair));
  return pair;
}

async function handleUsed(
  transaction: TokenTransaction,
  { hasher }: TokenDeps,
  asked: RefreshRequest,
  token: StoredRefreshToken,
): Promise<Refresh> {
  const rotation = await transaction.findRotation(token.hash);
  // Without a rotation it was not used, so it must have expired.
  if (rotation === undefined) return refused('refresh_expired');
  const pair = findRepeatedResponse(hasher, rotation, asked);
  if (pair !== undefined) return issued(pair);
  if (classifyReuse(rotation) === 'repeated') return refused('refresh_repeated');
  return { kind: 'refused', reason: 'refresh_reused', reusedGrantId: token.grantId };
}

function narrow(scope: string | undefined, allowed: readonly string[]): string[] {
  if (allowed.length === 0) {
    const description = 'the application may no longer request any approved scope';
    throw new OAuthError('invalid_grant', description, 'oauth_scopes');
  }
  return requestedScopes(scope, allowed);
}

function readRefresh({ client, parameters, idempotencyKey }: TokenRequest): RefreshRequest {
  return {
    client,
    token: requireParameter(parameters, 'refresh_token'),
    scope: parameters.get('scope'),
    idempotencyKey: idempotencyKey === undefined ? undefined : checkIdempotencyKey(idempotencyKey),
  };
}
