import { endGrant } from '../grants/end-grant.ts';
import type { Scope } from '../platform/scope.ts';
import { OAuthError } from './oauth-error.ts';
import { requestedScopes, requireParameter } from './parameters.ts';
import {
  checkIdempotencyKey,
  findRepeatedAnswer,
  hashRefresh,
  type RepeatableRefresh,
  sealAnswer,
} from './repeatable-refresh.ts';
import { createTokenPair, type TokenPair } from './token-pair.ts';
import { actorOf, type TokenDeps, type TokenRequest } from './token-request.ts';
import type { Rotation, StoredRefreshToken, TokenTransaction } from './token-store.ts';

/** Milliseconds after which a rotation that was never settled will not be: whoever made it has gone. */
const settleLimitMs = 10_000;

/** What it means that a refresh token comes which has been used. */
type Reuse = 'overlapped' | 'reused';

/**
 * Two refreshes at once are a client's accident, a refresh after the answer to another is a stolen token (RFC 9700
 * section 4.14.2). What arrived before the rotation was committed cannot have known of it: it overlapped.
 * @param arrivedAt milliseconds since 1970 on the database's clock
 */
export function judgeReuse({ usedAt, settledAt, readAt }: Rotation, arrivedAt: number): Reuse {
  if (settledAt !== undefined) return arrivedAt < settledAt ? 'overlapped' : 'reused';
  return arrivedAt < usedAt || readAt - usedAt < settleLimitMs ? 'overlapped' : 'reused';
}

type Refresh =
  | { readonly kind: 'rotated'; readonly pair: TokenPair; readonly hash: Uint8Array }
  | { readonly kind: 'repeated'; readonly pair: TokenPair }
  | { readonly kind: 'refused'; readonly ended?: Awaited<ReturnType<typeof endGrant>> };

/**
 * Grant type refresh_token (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2): of several refreshes with one
 * token one wins; a loser that overlapped with it is refused; a used token that comes later ends the Grant, except as
 * the same request with the same Idempotency-Key.
 * @throws OAuthError
 */
export async function refreshTokens(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const token = requireParameter(request.parameters, 'refresh_token');
  const repeatable = readRepeatable(request);
  const hashes = deps.hasher.candidates(token);
  const refresh = await deps.tokens.inTransaction(async (transaction) => {
    const found = await transaction.findRefreshToken(request.client.applicationId, hashes);
    if (found === undefined || !found.grantIsLive) return refused;
    if (await transaction.consumeRefreshToken(found.hash)) {
      return rotate(transaction, deps, request, found, repeatable);
    }
    return answerUsed(transaction, deps, request, found, repeatable);
  });
  if (refresh.kind === 'refused') {
    if (refresh.ended !== undefined) await deps.propagate(refresh.ended.businessId, refresh.ended.generation);
    throw new OAuthError('invalid_grant', 'the refresh token is not valid: unknown, expired or used before');
  }
  // Should it fail: the tokens are issued, and `judgeReuse` does without.
  if (refresh.kind === 'rotated') await deps.tokens.settleRotation(refresh.hash).catch(() => undefined);
  return refresh.pair;
}

const refused: Refresh = { kind: 'refused' };

async function rotate(
  transaction: TokenTransaction,
  deps: TokenDeps,
  { client, parameters }: TokenRequest,
  token: StoredRefreshToken,
  repeatable: RepeatableRefresh | undefined,
): Promise<Refresh> {
  const offered = token.scopes.filter((scope) => client.scopes.includes(scope));
  const scopes = narrow(parameters.get('scope'), offered);
  const terms = { grantId: token.grantId, scopes, refreshScopes: token.scopes };
  const { pair, stored } = createTokenPair(deps.hasher, deps.lifetimes, terms);
  await transaction.insertTokens(stored);
  if (repeatable !== undefined) {
    const sealed = sealAnswer(deps, token.hash, pair);
    await transaction.keepAnswer(token.hash, hashRefresh(deps, repeatable), sealed);
  }
  return { kind: 'rotated', pair, hash: token.hash };
}

async function answerUsed(
  transaction: TokenTransaction,
  deps: TokenDeps,
  request: TokenRequest,
  token: StoredRefreshToken,
  repeatable: RepeatableRefresh | undefined,
): Promise<Refresh> {
  const rotation = await transaction.findRotation(token.hash);
  // Not used: expired.
  if (rotation === undefined) return refused;
  const pair = repeatable && findRepeatedAnswer(deps, token.hash, rotation, repeatable);
  if (pair !== undefined) return { kind: 'repeated', pair };
  if (judgeReuse(rotation, deps.clock.toDatabase(request.arrivedAt)) === 'overlapped') return refused;
  return {
    kind: 'refused',
    ended: await endGrant(transaction, actorOf(request), token.grantId, 'refresh_reuse'),
  };
}

/** Thrown within the transaction, so that a request that asks for too much does not cost the token. */
function narrow(scope: string | undefined, offered: readonly Scope[]): Scope[] {
  if (offered.length === 0) {
    throw new OAuthError('invalid_grant', 'the application may no longer ask for anything that was approved');
  }
  return requestedScopes(scope, offered);
}

function readRepeatable({ client, parameters, idempotencyKey }: TokenRequest): RepeatableRefresh | undefined {
  if (idempotencyKey === undefined) return undefined;
  return {
    clientId: client.clientId,
    key: checkIdempotencyKey(idempotencyKey),
    scope: parameters.get('scope'),
  };
}
