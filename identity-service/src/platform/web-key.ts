import { createHash, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** An Ed25519 public key for a JSON Web Key Set (RFC 7517, RFC 8037). Its `kid` is its thumbprint (RFC 7638). */
export function webKeyOf(publicKey: KeyObject): JWK & { readonly kid: string } {
  const { kty = '', crv = '', x = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  return { kty, crv, x, alg: 'EdDSA', use: 'sig', kid };
}
