import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '@platform/service-kit/sealer.ts';
import { z } from 'zod';
import { scopes } from '../platform/scope.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import { OAuthError } from './oauth-error.ts';
import type { TokenPair } from './token-pair.ts';
import type { Rotation } from './token-store.ts';

/** Milliseconds for which a refresh may be repeated. */
const repeatLimitMs = 60_000;

const shape = /^[\x21-\x7e]{1,255}$/;

export interface IdempotencyDeps {
  readonly hasher: SecretHasher;
  readonly sealer: Sealer;
}

/** @throws OAuthError invalid_request unless it is 1 to 255 visible ASCII characters */
export function checkIdempotencyKey(key: string): string {
  if (!shape.test(key)) {
    throw new OAuthError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return key;
}

/** Identifies a refresh: two that are equal are one request, repeated. */
export interface RepeatableRefresh {
  readonly clientId: string;
  readonly key: string;
  /** The `scope` parameter. */
  readonly scope: string | undefined;
}

/** Hash under which a refresh is stored. */
export function hashRefresh({ hasher }: IdempotencyDeps, refresh: RepeatableRefresh): Buffer<ArrayBuffer> {
  return hasher.hash(identityOf(refresh));
}

/** Encrypts a token response. @param tokenHash of the refresh token that was used */
export function sealResponse(
  { sealer }: IdempotencyDeps,
  tokenHash: Uint8Array,
  pair: TokenPair,
): Buffer<ArrayBuffer> {
  return sealer.seal(JSON.stringify(pair), contextOf(tokenHash));
}

/** The response to an earlier refresh that this one repeats within the limit. */
export function findRepeatedResponse(
  { hasher, sealer }: IdempotencyDeps,
  tokenHash: Uint8Array,
  { usedAt, readAt, idempotencyHash, sealedResponse }: Rotation,
  refresh: RepeatableRefresh,
): TokenPair | undefined {
  if (idempotencyHash === undefined || sealedResponse === undefined) return undefined;
  if (readAt - usedAt >= repeatLimitMs) return undefined;
  const known = hasher.candidates(identityOf(refresh)).some((hash) => areEqual(hash, idempotencyHash));
  const text = known ? sealer.open(sealedResponse, contextOf(tokenHash)) : undefined;
  return text === undefined ? undefined : pairSchema.parse(JSON.parse(text));
}

const pairSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresIn: z.number(),
  scopes: z.array(z.enum(scopes)),
});

function identityOf({ clientId, key, scope }: RepeatableRefresh): string {
  return JSON.stringify(['refresh', clientId, key, scope ?? null]);
}

function contextOf(tokenHash: Uint8Array): string {
  return `refresh response:${Buffer.from(tokenHash).toString('base64')}`;
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
