import { createPublicKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { webKeyOf } from '../../platform/web-key.ts';
import type { Credential } from './credential.ts';

/** A signed statement about a credential. Each service gets one of its own, which no other accepts. */
export interface Passport {
  /** For business-service. */
  readonly token: string;
  /** For the operator's services, by the names of their upstreams. */
  readonly upstreamTokens: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Issues a passport for an authorized credential, valid from `credential.readAt` on. */
export type IssuePassport = (credential: Credential) => Promise<Passport>;

const maxLifetimeMs = 10 * 60_000;

const minRemainingMs = 5 * 60_000;

/** End of a passport issued now: in ten minutes, and never later than the credential. */
export function passportEnd({ expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>): number {
  // Whole seconds, except where the credential itself ends between two.
  const end = Math.floor((readAt + maxLifetimeMs) / 1000) * 1000;
  return expiresAt === undefined ? end : Math.min(end, expiresAt);
}

/** Whether a cached passport lasts long enough: five minutes, or as long as its credential. */
export function isLongEnough(
  passport: Passport,
  { expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>,
): boolean {
  return passport.expiresAt - readAt >= minRemainingMs || passport.expiresAt === expiresAt;
}

const maxCached = 10_000;

/** Issues passports, and a cached one while it lasts long enough: a signature costs more than a lookup. */
export function createPassportIssuer(sign: IssuePassport): IssuePassport {
  const issued = new LRUCache<string, Passport>({ max: maxCached });
  return async (credential) => {
    const subject = `${credential.id} ${credential.scopes.join(' ')}`;
    const cached = issued.get(subject);
    if (cached !== undefined && isLongEnough(cached, credential)) return cached;
    const passport = await sign(credential);
    issued.set(subject, passport);
    return passport;
  };
}

/** Signs passports (EdDSA, RFC 8037). @param upstreams names of the operator's */
export function createPassportSigner(key: KeyObject, upstreams: readonly string[]): IssuePassport {
  const { kid } = webKeyOf(createPublicKey(key));
  return async (credential) => {
    const expiresAt = passportEnd(credential);
    const signFor = (audience: string) =>
      new SignJWT({
        business_id: credential.businessId,
        credential_type: credential.type,
        // Left out of the token where undefined.
        application_id: credential.applicationId,
        scope: credential.scopes.join(' '),
      })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .setIssuer('identity-service')
        .setAudience(audience)
        .setSubject(credential.id)
        .setIssuedAt(Math.floor(credential.readAt / 1000))
        // Fractions of a second are allowed (RFC 7519, NumericDate).
        .setExpirationTime(expiresAt / 1000)
        .sign(key);
    const upstreamTokens = upstreams.map(async (name) => [name, await signFor(name)] as const);
    return {
      token: await signFor('business-service'),
      upstreamTokens: Object.fromEntries(await Promise.all(upstreamTokens)),
      expiresAt,
    };
  };
}
