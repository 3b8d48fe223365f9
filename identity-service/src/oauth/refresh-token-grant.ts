import type { Scope } from '../platform/scope.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { OAuthError } from './oauth-error.ts';
import { requestedScopes, requireParameter } from './parameters.ts';
import {
  checkIdempotencyKey,
  findRepeatedResponse,
  hashRefresh,
  type RepeatableRefresh,
  sealResponse,
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

/** Milliseconds after which an unsettled rotation stays so: its request has ended. */
const settleLimitMs = 10_000;

/** Milliseconds within which two requests that arrived one after the other are concurrent: neither knew of the other's response. */
const concurrentMs = 50;

/** Why a used refresh token was presented again. */
type Reuse = 'overlapped' | 'reused';

/**
 * Concurrent refreshes are a client's accident; a refresh after the response to another is a stolen token (RFC 9700
 * section 4.14.2). A request that arrived before the rotation was committed cannot have known of it: it overlapped. So did one
 * that arrived shortly after the request that got the tokens, at any gateway.
 * @param arrivedAt at the gateway, in milliseconds since 1970 on the database's clock
 */
export function classifyReuse(
  { usedAt, arrivedAt: firstAt, settledAt, readAt }: Rotation,
  arrivedAt: number,
): Reuse {
  if (firstAt !== undefined && arrivedAt - firstAt < concurrentMs) return 'overlapped';
  if (settledAt !== undefined) return arrivedAt < settledAt ? 'overlapped' : 'reused';
  return arrivedAt < usedAt || readAt - usedAt < settleLimitMs ? 'overlapped' : 'reused';
}

type Refresh =
  | { readonly kind: 'rotated'; readonly pair: TokenPair; readonly hash: Uint8Array }
  | { readonly kind: 'repeated'; readonly pair: TokenPair }
  | {
      readonly kind: 'refused';
      readonly reason: OAuthReason;
      /** Ends for it. */
      readonly reusedGrantId?: string;
    };

/**
 * Grant type refresh_token (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2): of concurrent refreshes with one
 * token one succeeds and the others are refused; a later use of the token ends the Grant, unless it repeats the request
 * with its Idempotency-Key.
 * @throws OAuthError
 */
export async function refreshTokens(deps: TokenDeps, request: TokenRequest): Promise<TokenPair> {
  const token = requireParameter(request.parameters, 'refresh_token');
  const repeatable = readRepeatable(request);
  const hashes = deps.hasher.candidates(token);
  const arrivedAt = deps.clock.toDatabase(request.arrivedAt);
  const refresh = await deps.tokens.inTransaction(async (transaction) => {
    const found = await transaction.findRefreshToken(request.client.applicationId, hashes);
    if (found === undefined) return refused('refresh_unknown');
    if (!found.grantIsLive) return refused('oauth_connection_ended');
    await requireSecret(transaction, request);
    refuseSuspended(found.suspended);
    if (await transaction.consumeRefreshToken(found.hash, arrivedAt)) {
      return rotate(transaction, deps, request, found, repeatable);
    }
    return handleUsed(transaction, deps, request, found, repeatable);
  });
  if (refresh.kind === 'refused') {
    const { reusedGrantId } = refresh;
    if (reusedGrantId !== undefined) await endReusedGrant(deps, request, reusedGrantId, 'refresh_reuse');
    const description = 'the refresh token is not valid: unknown, expired or used before';
    throw new OAuthError('invalid_grant', description, refresh.reason);
  }
  // A failure is harmless: the tokens are issued, and `classifyReuse` works without it.
  if (refresh.kind === 'rotated') await deps.tokens.settleRotation(refresh.hash).catch(() => undefined);
  return refresh.pair;
}

function refused(reason: OAuthReason): Refresh {
  return { kind: 'refused', reason };
}

async function rotate(
  transaction: TokenTransaction,
  deps: TokenDeps,
  { client, parameters }: TokenRequest,
  token: StoredRefreshToken,
  repeatable: RepeatableRefresh | undefined,
): Promise<Refresh> {
  const allowed = token.scopes.filter((scope) => client.scopes.includes(scope));
  const scopes = narrow(parameters.get('scope'), allowed);
  const terms = { grantId: token.grantId, scopes, refreshScopes: token.scopes };
  const { pair, stored } = createTokenPair(deps.hasher, deps.lifetimes, terms);
  await transaction.insertTokens(stored);
  if (repeatable !== undefined) {
    const sealed = sealResponse(deps, token.hash, pair);
    await transaction.storeResponse(token.hash, hashRefresh(deps, repeatable), sealed);
  }
  return { kind: 'rotated', pair, hash: token.hash };
}

async function handleUsed(
  transaction: TokenTransaction,
  deps: TokenDeps,
  request: TokenRequest,
  token: StoredRefreshToken,
  repeatable: RepeatableRefresh | undefined,
): Promise<Refresh> {
  const rotation = await transaction.findRotation(token.hash);
  // Never used, so it has expired.
  if (rotation === undefined) return refused('refresh_expired');
  const pair = repeatable && findRepeatedResponse(deps, token.hash, rotation, repeatable);
  if (pair !== undefined) return { kind: 'repeated', pair };
  if (classifyReuse(rotation, deps.clock.toDatabase(request.arrivedAt)) === 'overlapped') {
    return refused('refresh_overlapped');
  }
  return { kind: 'refused', reason: 'refresh_reused', reusedGrantId: token.grantId };
}

/** Throws within the transaction, so that a request for too many scopes does not consume the token. */
function narrow(scope: string | undefined, allowed: readonly Scope[]): Scope[] {
  if (allowed.length === 0) {
    const description = 'the application may no longer request any approved scope';
    throw new OAuthError('invalid_grant', description, 'oauth_scopes');
  }
  return requestedScopes(scope, allowed);
}

function readRepeatable({ client, parameters, idempotencyKey }: TokenRequest): RepeatableRefresh | undefined {
  if (idempotencyKey === undefined) return undefined;
  return {
    clientId: client.clientId,
    key: checkIdempotencyKey(idempotencyKey),
    scope: parameters.get('scope'),
  };
}
