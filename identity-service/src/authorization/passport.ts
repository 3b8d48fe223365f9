import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Credential } from './credential.ts';

/** A short signed statement of who is calling, for business-service. */
export interface Passport {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A passport for a credential that may pass, valid from `credential.readAt` on. */
export type IssuePassport = (credential: Credential) => Promise<Passport>;

const maxLifetimeMs = 10 * 60_000;

const minRemainingMs = 5 * 60_000;

/** When a passport issued now ends: in ten minutes, and never later than the credential. */
export function passportEnd({ expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>): number {
  // Whole seconds, except where the credential itself ends between two.
  const end = Math.floor((readAt + maxLifetimeMs) / 1000) * 1000;
  return expiresAt === undefined ? end : Math.min(end, expiresAt);
}

/** Whether a passport issued earlier still lasts long enough to be handed out: five minutes, or as long as it can. */
export function isLongEnough(
  passport: Passport,
  { expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>,
): boolean {
  return passport.expiresAt - readAt >= minRemainingMs || passport.expiresAt === expiresAt;
}

const maxKept = 10_000;

/** Issues passports and hands the same one out again while it lasts long enough: a signature costs more than a lookup. */
export function createPassportOffice(sign: (credential: Credential) => Promise<Passport>): IssuePassport {
  const kept = new Map<string, Passport>();
  return async (credential) => {
    const subject = `${credential.id} ${credential.scopes.join(' ')}`;
    const earlier = kept.get(subject);
    if (earlier !== undefined && isLongEnough(earlier, credential)) return earlier;
    const passport = await sign(credential);
    // A fresh entry goes to the end, so that the first one is the oldest.
    kept.delete(subject);
    kept.set(subject, passport);
    if (kept.size > maxKept) dropOldest(kept);
    return passport;
  };
}

function dropOldest(kept: Map<string, Passport>): void {
  for (const subject of kept.keys()) {
    kept.delete(subject);
    return;
  }
}

/** Signs a passport (EdDSA, RFC 8037) that says who `credential` speaks for. */
export async function signPassport(key: KeyObject, credential: Credential): Promise<Passport> {
  const expiresAt = passportEnd(credential);
  const token = await new SignJWT({
    business_id: credential.businessId,
    credential_type: credential.type,
    scope: credential.scopes.join(' '),
  })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('identity-service')
    .setAudience('business-service')
    .setSubject(credential.id)
    .setIssuedAt(Math.floor(credential.readAt / 1000))
    // Fractions of a second are allowed (RFC 7519, NumericDate).
    .setExpirationTime(expiresAt / 1000)
    .sign(key);
  return { token, expiresAt };
}
