import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { CompactSign, type JWK } from 'jose';

/** PKCS #8 (RFC 8410) of an Ed25519 key, up to its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs documents for the public. */
export interface DocumentSigner {
  /** For a JSON Web Key Set (RFC 7517, RFC 8037). */
  readonly publicKey: JWK;
  /** Detached JWS of the document's bytes (RFC 7515, appendix F). */
  sign(document: Buffer): Promise<string>;
}

/** @param passportKey Ed25519; the documents have a key of their own, which is derived from it (RFC 5869) */
export function createDocumentSigner(passportKey: KeyObject): DocumentSigner {
  const { d = '' } = passportKey.export({ format: 'jwk' });
  const seed = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'public documents', 32));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' });
  const { kty = '', crv = '', x = '' } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  return {
    publicKey: { kty, crv, x, alg: 'EdDSA', use: 'sig', kid },
    sign: async (document) => {
      const jws = await new CompactSign(document).setProtectedHeader({ alg: 'EdDSA', kid }).sign(key);
      const [header, , signature] = jws.split('.');
      return `${header}..${signature}`;
    },
  };
}
