import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { CompactSign, type JWK } from 'jose';
import { webKeyOf } from '../platform/web-key.ts';

/** PKCS #8 (RFC 8410) of an Ed25519 key, up to its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs documents for the public. */
export interface DocumentSigner {
  readonly publicKey: JWK;
  /** Detached JWS of the document's bytes (RFC 7515, appendix F). */
  sign(document: Buffer): Promise<string>;
}

/** @param passportKey Ed25519; the documents have a key of their own, which is derived from it (RFC 5869) */
export function createDocumentSigner(passportKey: KeyObject): DocumentSigner {
  const { d = '' } = passportKey.export({ format: 'jwk' });
  const seed = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'public documents', 32));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = webKeyOf(createPublicKey(key));
  const { kid } = publicKey;
  return {
    publicKey,
    sign: async (document) => {
      const jws = await new CompactSign(document).setProtectedHeader({ alg: 'EdDSA', kid }).sign(key);
      const [header, , signature] = jws.split('.');
      return `${header}..${signature}`;
    },
  };
}
