import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';

/** A key that signs passports, with its public part as identity-service publishes it. */
interface PassportKey {
  readonly privateKey: KeyObject;
  readonly kid: string;
  readonly published: Readonly<Record<string, unknown>> & { readonly kid: string };
}

/** Makes an Ed25519 key. */
export async function makePassportKey(): Promise<PassportKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { privateKey, kid, published: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } };
}

/** Signs a passport for the upstream `invoices`, as identity-service does. @param changed claims, or those of the header */
export function signPassport(
  { privateKey, kid }: PassportKey,
  changed: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ iss: 'identity-service', aud: 'invoices', sub: 'key_1', iat: now, exp: now + 600 },
    ...{ business_id: 7, credential_type: 'restricted_key', scope: 'invoices:read' },
    ...changed,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid, ...header }).sign(privateKey);
}

/** Tokens that no verifier for `invoices` accepts, by what is wrong with them. */
export async function badPassports(key: PassportKey): Promise<Readonly<Record<string, string>>> {
  const stranger = await makePassportKey();
  const valid = await signPassport(key);
  const [head = '', claims = '', signature = ''] = valid.split('.');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const forged = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), business_id: 8 };
  const expired = Math.floor(Date.now() / 1_000) - 10;
  return {
    'for another audience': await signPassport(key, { aud: 'business-service' }),
    'of another issuer': await signPassport(key, { iss: 'invoices' }),
    expired: await signPassport(key, { iat: expired - 600, exp: expired }),
    'without an end': await signPassport(key, { exp: undefined }),
    'signed with another key': await signPassport(stranger),
    'signed with another key under the name of the right one': await signPassport({
      ...stranger,
      kid: key.kid,
    }),
    'with changed claims': `${head}.${encode(forged)}.${signature}`,
    'without a signature': `${encode({ alg: 'none', kid: key.kid })}.${claims}.`,
    'with another algorithm in its header': `${encode({ alg: 'HS256', kid: key.kid })}.${claims}.${signature}`,
    'that is nonsense': 'a.b.c',
    'that is empty': '',
  };
}
