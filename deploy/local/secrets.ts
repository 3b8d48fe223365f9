import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type LocalDirectory, writePrivateFile } from './directory.ts';
import { StartError } from './settings.ts';

const schema = z.object({
  databasePassword: z.string(),
  redisPassword: z.string(),
  /** KEY_PEPPERS of identity-service. */
  keyPepper: z.string(),
  /** CREDENTIAL_TAG_KEYS of the gateway and identity-service. */
  credentialTagKey: z.string(),
  /** PASSPORT_PRIVATE_KEY: base64 of PKCS #8 DER, Ed25519. */
  passportPrivateKey: z.string(),
  /** PASSPORT_PUBLIC_KEYS: base64 of SPKI DER. */
  passportPublicKey: z.string(),
  /** GATEWAY_SECRET of the gateway and identity-service. */
  gatewaySecret: z.string(),
  /** SESSION_SECRETS. */
  sessionSecret: z.string(),
  /** ENCRYPTION_KEYS: base64 of 32 bytes. */
  encryptionKey: z.string(),
  /** ENCRYPTION_KEYS of webhook-service. */
  webhookEncryptionKey: z.string(),
});
const optional = z.string().exactOptional();
/** Files of earlier versions lack some. */
const fileSchema = schema.extend({
  credentialTagKey: optional,
  gatewaySecret: optional,
  sessionSecret: optional,
  encryptionKey: optional,
  webhookEncryptionKey: optional,
});

/** Every secret of a running platform. */
export type PlatformSecrets = Readonly<z.output<typeof schema>>;

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
    webhookEncryptionKey: randomBytes(32).toString('base64'),
  };
}

/** The secrets of this directory: made at the first start, kept from then on. @throws StartError when they are lost */
export function loadSecrets({ root, secretsFile, postgres }: LocalDirectory): PlatformSecrets {
  if (existsSync(secretsFile)) {
    const secrets = { ...generateSecrets(), ...readSecrets(secretsFile, root) };
    writePrivateFile(secretsFile, secrets);
    return secrets;
  }
  if (existsSync(join(postgres, 'PG_VERSION'))) {
    throw new StartError(
      `${secretsFile} is gone, and the data needs it: put it back, or remove ${root} to start anew.`,
    );
  }
  const secrets = generateSecrets();
  writePrivateFile(secretsFile, secrets);
  return secrets;
}

function readSecrets(file: string, root: string): z.output<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new StartError(`${file} cannot be read: repair it, or remove ${root} to start anew.`, { cause });
  }
}
