import type { KeyObject } from 'node:crypto';
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Instant, maxBusinessId } from './values.ts';

/** The principal of a request, as identity-service signed it. */
export interface Passport {
  readonly credentialId: string;
  readonly credentialType: 'secret_key' | 'restricted_key' | 'access_token';
  readonly businessId: number;
  /** Of an access token; empty where its issuer named none. Undefined for an API key. */
  readonly applicationId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** Seconds since 1970, with a fraction. */
  readonly expiresAt: number;
}

/** The author of a change. */
export interface Author {
  readonly businessId: number;
  /**
   * API key, application, or person, by which the dashboard names the author later; access tokens are forgotten after a day. Null
   * for none of them.
   */
  readonly credentialId: string | null;
}

export function authorOf({ businessId, credentialId, applicationId }: Passport): Author {
  return { businessId, credentialId: applicationId || credentialId };
}

/** Seconds that a passport may live; a longer one was not issued by identity-service's rules. */
const maxLifetime = 600;

const claims = z
  .object({
    sub: z.string().min(1),
    business_id: z.int().positive().max(maxBusinessId),
    credential_type: z.enum(['secret_key', 'restricted_key', 'access_token']),
    application_id: z.string().default(''),
    scope: z.string(),
    iat: z.number(),
    exp: z.number(),
  })
  .refine(({ iat, exp }) => exp > iat && exp - iat <= maxLifetime);

/** The claims of a verified token as a passport; undefined for any others. */
export function parsePassport(payload: unknown): Passport | undefined {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) return undefined;
  const { sub, business_id, credential_type, application_id, scope, exp } = parsed.data;
  return {
    credentialId: sub,
    credentialType: credential_type,
    businessId: business_id,
    applicationId: credential_type === 'access_token' ? application_id : undefined,
    scopes: new Set(scope.split(' ').filter((name) => name !== '')),
    expiresAt: exp,
  };
}

/** The passport in a token at `now`; undefined for an invalid one. */
export type VerifyPassport = (token: string, now: Instant) => Promise<Passport | undefined>;

/** Seconds that our clock and the issuer's may differ. */
const clockTolerance = 5;

/** Verified passports kept: the gateway sends the same one with every request of a credential. */
const maxCached = 10_000;

/** A verifier that accepts a signature of any of the Ed25519 keys, so that keys can be rotated. */
export function createPassportVerifier(publicKeys: readonly KeyObject[]): VerifyPassport {
  const verified = new LRUCache<string, Passport>({ max: maxCached });

  return async (token, now) => {
    const cached = verified.get(token);
    if (cached !== undefined && isCurrent(cached, now)) return cached;
    verified.delete(token);
    const passport = await verify(token, publicKeys, now);
    if (passport !== undefined) verified.set(token, passport);
    return passport;
  };
}

async function verify(
  token: string,
  publicKeys: readonly KeyObject[],
  now: Instant,
): Promise<Passport | undefined> {
  const options: JWTVerifyOptions = {
    algorithms: ['EdDSA'],
    issuer: 'identity-service',
    audience: 'business-service',
    currentDate: now,
    clockTolerance,
  };
  for (const key of publicKeys) {
    try {
      const { payload } = await jwtVerify(token, key, options);
      return parsePassport(payload);
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
  return undefined;
}

function isCurrent(passport: Passport, now: Instant): boolean {
  return now.getTime() / 1000 < passport.expiresAt + clockTolerance;
}
