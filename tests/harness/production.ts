import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { ServiceName } from '../../deploy/local/process/service.ts';
import { generateSecrets, type PlatformSecrets } from '../../deploy/local/secrets.ts';
import { runAdminProgram } from './admin.ts';
import { databasePatience, gatewayPatience, identityPatience, webhookPatience } from './patience.ts';
import { createDatabase } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { Environment } from './service.ts';

export interface ProductionOptions {
  /** Loopback address that everything listens on. */
  readonly host: string;
  /** Starts a service and resolves when it is ready. */
  readonly start: (service: ServiceName, env: Environment) => Promise<{ readonly stop: () => unknown }>;
  /** More variables, of every service and of one. */
  readonly env: Environment;
  readonly envOf?: Partial<Record<ServiceName, Environment>>;
}

/** One of each service in production mode, with Redis and PostgreSQL. */
export interface Production {
  readonly ports: Ports;
  /** URL of the database of identity-service. */
  readonly identityDatabase: string;
  readonly secrets: PlatformSecrets;
  /** Key string of a verified business, made by the administration. */
  readonly key: string;
  close(): Promise<void>;
}

interface Ports {
  readonly businessHttp: number;
  readonly businessGrpc: number;
  readonly identityHttp: number;
  readonly identityGrpc: number;
  readonly webhookGrpc: number;
  readonly gateway: number;
}

/** Starts the services in order. Ends the remains of a failed start before it rejects. */
export async function startProduction(options: ProductionOptions): Promise<Production> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: ProductionOptions,
  closers: (() => unknown)[],
): Promise<Omit<Production, 'close'>> {
  const redis = await startRedis();
  closers.push(redis.close);
  const secrets = generateSecrets();
  const ports = {
    businessHttp: await freePort(),
    businessGrpc: await freePort(),
    identityHttp: await freePort(),
    identityGrpc: await freePort(),
    webhookGrpc: await freePort(),
    gateway: await freePort(),
  };
  const environments = environmentsOf(options, secrets, ports, redis.url);
  const databases = {
    'business-service': await createDatabase('business-service'),
    'identity-service': await createDatabase('identity-service'),
    'webhook-service': await createDatabase('webhook-service'),
  };
  for (const service of ['business-service', 'identity-service', 'webhook-service', 'gateway'] as const) {
    const database: Environment = service === 'gateway' ? {} : { DATABASE_URL: databases[service] };
    const { stop } = await options.start(service, {
      ...common(options.host),
      OPS_PORT: `${await freePort()}`,
      ...environments[service],
      ...database,
      ...options.env,
      ...options.envOf?.[service],
    });
    closers.push(stop);
  }
  const key = await makeKey({
    ...environments['identity-service'],
    DATABASE_URL: databases['identity-service'],
    ...options.env,
    ...options.envOf?.['identity-service'],
  });
  return { ports, secrets, key, identityDatabase: databases['identity-service'] };
}

const common = (host: string): Environment => ({
  MODE: 'production',
  HTTP_HOST: host,
  GRPC_HOST: host,
  OPS_HOST: host,
});

/** gRPC targets, as services and the administration get them. */
function targets(host: string, { businessGrpc, identityGrpc }: Ports) {
  const scheme = isIPv6(host) ? 'ipv6' : 'ipv4';
  return {
    BUSINESS_GRPC_TARGET: `${scheme}:${inUrl(host)}:${businessGrpc}`,
    IDENTITY_GRPC_TARGET: `${scheme}:${inUrl(host)}:${identityGrpc}`,
  };
}

function environmentsOf(
  { host, env }: ProductionOptions,
  secrets: PlatformSecrets,
  ports: Ports,
  redisUrl: string,
): Readonly<Record<ServiceName, Environment>> {
  const origin = `${env.GRPC_TLS === 'mutual' ? 'https' : 'http'}://${inUrl(host)}`;
  const publicUrl = `http://${inUrl(host)}:${ports.gateway}`;
  const { BUSINESS_GRPC_TARGET, IDENTITY_GRPC_TARGET } = targets(host, ports);
  return {
    'business-service': {
      HTTP_PORT: `${ports.businessHttp}`,
      GRPC_PORT: `${ports.businessGrpc}`,
      PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
      ...databasePatience,
    },
    'identity-service': {
      HTTP_PORT: `${ports.identityHttp}`,
      GRPC_PORT: `${ports.identityGrpc}`,
      REDIS_URL: redisUrl,
      BUSINESS_GRPC_TARGET,
      KEY_PEPPERS: secrets.keyPepper,
      PASSPORT_PRIVATE_KEY: secrets.passportPrivateKey,
      GATEWAY_SECRET: secrets.gatewaySecret,
      CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
      SESSION_SECRETS: secrets.sessionSecret,
      ENCRYPTION_KEYS: secrets.encryptionKey,
      PUBLIC_URL: publicUrl,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'Business API <no-reply@platform.test>',
      ...identityPatience,
    },
    'webhook-service': {
      GRPC_PORT: `${ports.webhookGrpc}`,
      BUSINESS_GRPC_TARGET,
      IDENTITY_GRPC_TARGET,
      ENCRYPTION_KEYS: secrets.webhookEncryptionKey,
      ...webhookPatience,
    },
    gateway: {
      PORT: `${ports.gateway}`,
      IDENTITY_GRPC_TARGET,
      IDENTITY_HTTP_ORIGINS: `${origin}:${ports.identityHttp}`,
      BUSINESS_HTTP_ORIGINS: `${origin}:${ports.businessHttp}`,
      GATEWAY_SECRET: secrets.gatewaySecret,
      CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
      PUBLIC_URL: publicUrl,
      REDIS_URL: redisUrl,
      ...gatewayPatience,
    },
  };
}

const inUrl = (host: string) => (isIPv6(host) ? `[${host}]` : host);

/** As an operator does: a business, its verification, a key. */
async function makeKey(env: Environment): Promise<string> {
  const admin = async (...args: string[]) => {
    const { code, out, err } = await runAdminProgram([...args, '--json'], env);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  };
  const { id } = await admin('business', 'create', '--account-holder', 'Acme Ltd', '--username', 'acme');
  const facts = ['--legal-name', 'Acme Limited', '--registration-number', 'HRB 1', '--country', 'DE'];
  await admin('business', 'verify', '--business', `${id}`, ...facts);
  const { keyString } = await admin(
    'key',
    'create',
    '--business',
    `${id}`,
    '--name',
    'acme',
    '--type',
    'secret',
  );
  return z.string().parse(keyString);
}
