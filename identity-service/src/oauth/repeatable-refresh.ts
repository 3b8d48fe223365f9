import { createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { z } from 'zod';
import type { SecretHasher } from '../platform/secrets.ts';
import type { Client } from './client-store.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenPair } from './token-pair.ts';
import type { KeptResponse, Rotation } from './token-store.ts';

/** Milliseconds after a rotation in which reuse counts as an accident: a lost response, or a concurrent refresh. */
export const repeatLimitMs = 60_000;

const shape = /^[\x21-\x7e]{1,255}$/;

/** @throws OAuthError invalid_request unless it is 1 to 255 visible ASCII characters */
export function checkIdempotencyKey(key: string): string {
  if (!shape.test(key)) {
    throw new OAuthError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return key;
}

/** The parts of a refresh that decide whether another one repeats it. */
export interface RefreshRequest {
  readonly client: Pick<Client, 'clientId' | 'repeatLostRefresh'>;
  /** The refresh token. */
  readonly token: string;
  /** The `scope` parameter. */
  readonly scope: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The response to store for repetitions of its request; undefined when none is permitted. */
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
 * The response to an earlier refresh that this one repeats within the time limit. It must have the same Idempotency-Key or,
 * if the application has enabled that, the new refresh token must be unused. A different `scope` is a different request.
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
    scopes: z.array(z.string()),
  }),
  scope: z.string().optional(),
});

/** Derives the key from the token. The database has only its hash, so stored data alone cannot decrypt the response. */
function sealerOf(token: string) {
  return createSealer([createSecretKey(Buffer.from(hkdfSync('sha256', token, '', context, 32)))]);
}

const context = 'refresh response';

/** Identity of a refresh with an Idempotency-Key. Refreshes with equal identities are repetitions of one request. */
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
