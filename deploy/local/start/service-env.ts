import type { PlatformSecrets } from '../secrets/generate-secrets.ts';
import type { Settings } from './settings.ts';

type Environment = Record<string, string>;

/** Variables of every service: free ports on the loopback address only. */
function common({ logLevel }: Settings): Environment {
  return {
    MODE: 'local',
    LOG_LEVEL: logLevel,
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    GRPC_HOST: '127.0.0.1',
    GRPC_PORT: '0',
    OPS_HOST: '127.0.0.1',
    OPS_PORT: '0',
    DRAIN_DELAY_MS: '0',
  };
}

const redis = (url: string | undefined): Environment => (url === undefined ? {} : { REDIS_URL: url });

export function businessServiceEnv(
  settings: Settings,
  secrets: PlatformSecrets,
  databaseUrl: string,
): Environment {
  return {
    ...common(settings),
    DATABASE_URL: databaseUrl,
    PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
  };
}

export function identityServiceEnv(
  settings: Settings,
  secrets: PlatformSecrets,
  parts: {
    databaseUrl: string;
    redisUrl: string | undefined;
    businessGrpcTarget: string;
    publicUrl: string;
    mailDirectory: string;
  },
): Environment {
  return {
    ...common(settings),
    ...redis(parts.redisUrl),
    DATABASE_URL: parts.databaseUrl,
    BUSINESS_GRPC_TARGET: parts.businessGrpcTarget,
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
    GATEWAY_SECRET: secrets.gatewaySecret,
    SESSION_SECRETS: secrets.sessionSecret,
    ENCRYPTION_KEYS: secrets.encryptionKey,
    PUBLIC_URL: parts.publicUrl,
    MAIL_DIR: parts.mailDirectory,
    MAIL_FROM: 'Business API <no-reply@localhost>',
  };
}

export function gatewayEnv(
  settings: Settings,
  secrets: PlatformSecrets,
  parts: {
    redisUrl: string | undefined;
    identityGrpcTarget: string;
    identityOrigin: string;
    businessOrigin: string;
    publicUrl: string;
  },
): Environment {
  return {
    ...common(settings),
    ...redis(parts.redisUrl),
    HTTP_HOST: settings.host,
    PORT: String(settings.port),
    IDENTITY_GRPC_TARGET: parts.identityGrpcTarget,
    IDENTITY_HTTP_ORIGINS: parts.identityOrigin,
    BUSINESS_HTTP_ORIGINS: parts.businessOrigin,
    PUBLIC_URL: parts.publicUrl,
    GATEWAY_SECRET: secrets.gatewaySecret,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
  };
}
