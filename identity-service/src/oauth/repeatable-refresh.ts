import { createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { z } from 'zod';
import { scopes } from '../platform/scope.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Client } from './client-store.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenPair } from './token-pair.ts';
import type { KeptResponse, Rotation } from './token-store.ts';

/** Milliseconds from a rotation in which the used token is presented again by accident: its response was lost, or others refresh, too. */
export const repeatLimitMs = 60_000;

const shape = /^[\x21-\x7e]{1,255}$/;

/** @throws OAuthError invalid_request unless it is 1 to 255 visible ASCII characters */
export function checkIdempotencyKey(key: string): string {
  if (!shape.test(key)) {
    throw new OAuthError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return key;
}

/** A refresh as its repetitions are compared with it. */
export interface RefreshRequest {
  readonly client: Pick<Client, 'clientId' | 'repeatLostRefresh'>;
  /** The refresh token. */
  readonly token: string;
  /** The `scope` parameter. */
  readonly scope: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** A response as it is kept for repetitions of its request; undefined when none can get it. */
export function keepResponse(
  hasher: SecretHasher,
  request: RefreshRequest,
  pair: TokenPair,
): KeptResponse | undefined {
  const identity = identityOf(request);
  if (identity === undefined && !request.client.repeatLostRefresh) return undefined;
  const text = JSON.stringify({ pair, scope: request.scope });
  return {
    sealedResponse: sealerOf(request.token).seal(text, context),
    idempotencyHash: identity === undefined ? undefined : hasher.hash(identity),
  };
}

/**
 * The response to an earlier refresh that this one repeats within the limit: with the same Idempotency-Key, or, where the
 * application wants that, while its refresh token has not been used. Another `scope` makes another request.
 */
export function findRepeatedResponse(
  hasher: SecretHasher,
  { usedAt, readAt, successor }: Rotation,
  request: RefreshRequest,
): TokenPair | undefined {
  const { sealedResponse, idempotencyHash, isUsed } = successor ?? {};
  if (sealedResponse === undefined || readAt - usedAt >= repeatLimitMs) return undefined;
  const text = sealerOf(request.token).open(sealedResponse, context);
  if (text === undefined) return undefined;
  const { pair, scope } = keptText.parse(JSON.parse(text));
  if (scope !== request.scope) return undefined;
  const hasKey = isKnown(hasher, identityOf(request), idempotencyHash);
  return hasKey || (request.client.repeatLostRefresh && isUsed === false) ? pair : undefined;
}

const keptText = z.object({
  pair: z.object({
    accessToken: z.string(),
    refreshToken: z.string(),
    expiresIn: z.number(),
    scopes: z.array(z.enum(scopes)),
  }),
  scope: z.string().optional(),
});

/** The key comes from the token, of which the database has a hash only: nothing that the service keeps opens the response. */
function sealerOf(token: string) {
  return createSealer([createSecretKey(Buffer.from(hkdfSync('sha256', token, '', context, 32)))]);
}

const context = 'refresh response';

/** Of a refresh with an Idempotency-Key: two that are equal are one request, repeated. */
function identityOf({ client, idempotencyKey, scope }: RefreshRequest): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  return JSON.stringify(['refresh', client.clientId, idempotencyKey, scope ?? null]);
}

function isKnown(hasher: SecretHasher, identity: string | undefined, hash: Uint8Array | undefined): boolean {
  if (identity === undefined || hash === undefined) return false;
  return hasher
    .candidates(identity)
    .some((known) => known.length === hash.length && timingSafeEqual(known, hash));
}
