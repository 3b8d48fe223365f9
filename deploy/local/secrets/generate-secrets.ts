import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** Everything secret that a platform needs to run. */
export interface PlatformSecrets {
  readonly databasePassword: string;
  readonly redisPassword: string;
  /** KEY_PEPPERS of identity-service. */
  readonly keyPepper: string;
  /** CREDENTIAL_TAG_KEYS of the gateway and identity-service. */
  readonly credentialTagKey: string;
  /** PASSPORT_PRIVATE_KEY: base64 of PKCS #8 DER, Ed25519. */
  readonly passportPrivateKey: string;
  /** PASSPORT_PUBLIC_KEYS: base64 of SPKI DER. */
  readonly passportPublicKey: string;
  /** GATEWAY_SECRET of the gateway and identity-service. */
  readonly gatewaySecret: string;
  /** SESSION_SECRETS. */
  readonly sessionSecret: string;
  /** ENCRYPTION_KEYS: base64 of 32 bytes. */
  readonly encryptionKey: string;
}

/** Fresh random secrets. Hexadecimal, so that they need no escaping in a URL. */
export function generateSecrets(): PlatformSecrets {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    databasePassword: randomBytes(24).toString('hex'),
    redisPassword: randomBytes(24).toString('hex'),
    keyPepper: randomBytes(32).toString('hex'),
    credentialTagKey: randomBytes(32).toString('hex'),
    passportPrivateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    passportPublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    gatewaySecret: randomBytes(32).toString('hex'),
    sessionSecret: randomBytes(32).toString('hex'),
    encryptionKey: randomBytes(32).toString('base64'),
  };
}
