import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Credential } from '../authorization/credential.ts';
import { type Passport, passportEnd } from './passport.ts';

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
