import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { SecretHasher } from '../platform/secrets.ts';

/** Lifetimes in seconds. */
export interface TokenLifetimes {
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
}

/** A token pair as the client receives it (contract 2.3). */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** A token pair as it is stored: hashes only. */
export interface StoredTokenPair {
  readonly grantId: string;
  readonly access: {
    readonly id: string;
    readonly hash: Buffer<ArrayBuffer>;
    readonly scopes: readonly string[];
  };
  readonly refresh: { readonly hash: Buffer<ArrayBuffer>; readonly scopes: readonly string[] };
  readonly lifetimes: TokenLifetimes;
}

/** Terms of a new pair. */
export interface PairTerms {
  readonly grantId: string;
  /** Of the access token. */
  readonly scopes: readonly string[];
  /** Scopes of the refresh token. A refresh may narrow the access token, and the next refresh may widen it again. */
  readonly refreshScopes: readonly string[];
}

/** A new pair: the strings to return once, and the hashes to store. */
export function createTokenPair(
  hasher: Pick<SecretHasher, 'createCredential' | 'hash'>,
  lifetimes: TokenLifetimes,
  { grantId, scopes, refreshScopes }: PairTerms,
): { readonly pair: TokenPair; readonly stored: StoredTokenPair } {
  const accessToken = hasher.createCredential('at');
  const refreshToken = createCheckedToken('rt');
  const id = randomHexId('tok');
  return {
    pair: { accessToken, refreshToken, expiresIn: lifetimes.accessTokenSeconds, scopes },
    stored: {
      grantId,
      access: { id, hash: hasher.hash(accessToken), scopes },
      refresh: { hash: hasher.hash(refreshToken), scopes: refreshScopes },
      lifetimes,
    },
  };
}
