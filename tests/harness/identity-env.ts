import type { PlatformSecrets } from '../../deploy/local/secrets.ts';
import { runDirectory } from './run-directory.ts';
import type { Environment } from './service.ts';

interface IdentityEnvironment extends Environment {
  readonly PUBLIC_URL: string;
  readonly MAIL_DIR: string;
}

/** Variables of identity-service that do not depend on its surroundings. Throttles are out of the way of tests. */
export function identityEnv(secrets: PlatformSecrets): IdentityEnvironment {
  return {
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    GATEWAY_SECRET: secrets.gatewaySecret,
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: secrets.encryptionKey,
    PUBLIC_URL: 'http://platform.test',
    MAIL_DIR: runDirectory().newDirectory('mail'),
    MAIL_FROM: 'Business API <no-reply@platform.test>',
    OPERATORS_EMAIL: 'operators@platform.test',
    THROTTLE_SCALE: '1000',
  };
}
