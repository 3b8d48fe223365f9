import type { QueryResultRow } from 'pg';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { generateSecrets, type PlatformSecrets } from '../../deploy/local/secrets.ts';
import { type ApiKeys, apiKeyCalls } from './api-keys.ts';
import { type Applications, applicationCalls } from './applications.ts';
import { type Businesses, connectBusinesses } from './businesses.ts';
import type { DatabaseOwner } from './database-templates.ts';
import { expectEventually } from './expect-eventually.ts';
import { type HttpResponse, type RequestOptions, request } from './http-request.ts';
import { identityEnv } from './identity-env.ts';
import { metricsOf } from './metrics.ts';
import { connectOperations } from './operations.ts';
import {
  databasePatience,
  gatewayPatience,
  identityPatience,
  timeLimits,
  webhookPatience,
} from './patience.ts';
import { createDatabase, query } from './postgres.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { type Environment, spawnService, type TestService } from './service.ts';

export interface PlatformOptions {
  /** Number of gateways, 1 where absent. */
  readonly gateways?: number;
  readonly identities?: number;
  readonly businesses?: number;
  /** Number of webhook-services, 0 where absent. */
  readonly webhooks?: number;
  /** false: no REDIS_URL for any service. */
  readonly redis?: boolean;
  /** Makes the databases; the run's shared cluster where absent. */
  readonly createDatabase?: (owner: DatabaseOwner) => Promise<string>;
  /** Upstreams of the gateways instead of business-service, as `http://127.0.0.1:5000`. */
  readonly upstreams?: readonly string[];
  /** More variables for every gateway, or for the gateway of an index. */
  readonly gatewayEnv?: Environment | ((index: number) => Environment);
  /** More variables for every identity-service, or for that of an index; operations in the test's process have those of the last. */
  readonly identityEnv?: Environment | ((index: number) => Environment);
  /** Whether authorization and database have their time limits of production, for tests about them. */
  readonly strictTimes?: boolean;
  readonly businessEnv?: Environment;
  readonly webhookEnv?: Environment;
}

/** The processes of a platform, and the facts that tests need of them. */
export interface PlatformProcesses {
  readonly gateways: readonly TestService[];
  readonly identities: readonly TestService[];
  readonly businesses: readonly TestService[];
  /** None unless asked for. */
  readonly webhooks: readonly TestService[];
  /** Absent when the platform runs without Redis. */
  readonly redis: TestRedis | undefined;
  readonly secrets: PlatformSecrets;
  /** Public origin of the platform: the address of the first gateway. */
  readonly publicUrl: string;
  /** Where identity-service writes mails. */
  readonly mailDirectory: string;
  readonly databases: {
    readonly identity: string;
    readonly business: string;
    /** Absent without webhook-services. */
    readonly webhook?: string;
  };
}

/** The platform as real processes, with a verified demo business. */
export interface Platform extends PlatformProcesses, ApiKeys, Businesses, Applications {
  /** HTTP ports of the gateways. */
  readonly gatewayPorts: readonly number[];
  /** The verified business that keys belong to unless said otherwise. */
  readonly businessId: number;
  /** gRPC targets with every replica, as services get them. */
  readonly targets: { readonly identity: string; readonly business: string };
  /** Sends one request through the gateway of an index. */
  request(gateway: number, method: string, path: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Reads the business of a key or token, the simplest request, by default through the first gateway. */
  me(key: string, gateway?: number): Promise<HttpResponse>;
  /** Rows of the database of identity-service. */
  sql<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Ends the connections of the test's process to the database of identity-service, until its next operation. */
  leaveDatabase(): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything. Ends the remains of a failed start before it rejects. */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const { identities = 1, identityEnv } = options;
    const processes = await startProcesses(options, closers);
    const platform = await connectPlatform(processes, envOf(identityEnv, identities - 1));
    closers.push(platform.close);
    return { ...platform, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the processes, and registers how to end each. */
export async function startProcesses(
  options: PlatformOptions,
  closers: (() => unknown)[],
): Promise<PlatformProcesses> {
  const secrets = generateSecrets();
  const newDatabase = options.createDatabase ?? createDatabase;
  const [identityDatabase, businessDatabase, redis] = await Promise.all([
    newDatabase('identity-service'),
    newDatabase('business-service'),
    options.redis === false ? undefined : startRedis(),
  ]);
  if (redis) closers.push(redis.close);
  const several = replicas(closers);

  const businesses = await several('business-service', options.businesses ?? 1, () => ({
    DATABASE_URL: businessDatabase,
    PASSPORT_PUBLIC_KEYS: secrets.passportPublicKey,
    ...timeLimits(databasePatience, options.strictTimes),
    ...options.businessEnv,
  }));
  const firstPort = await freePort();
  const fixed = { ...identityEnv(secrets), PUBLIC_URL: `http://127.0.0.1:${firstPort}` };
  const redisUrl: Environment = redis ? { REDIS_URL: redis.url } : {};
  // Each of the two services calls the other one.
  const webhookPorts = await Promise.all(Array.from({ length: options.webhooks ?? 0 }, freePort));
  const webhookTarget: Environment =
    webhookPorts.length === 0
      ? {}
      : { WEBHOOK_GRPC_TARGET: `ipv4:${webhookPorts.map((port) => `127.0.0.1:${port}`).join(',')}` };
  const identities = await several('identity-service', options.identities ?? 1, (index) => ({
    DATABASE_URL: identityDatabase,
    BUSINESS_GRPC_TARGET: grpcTarget(businesses),
    ...fixed,
    ...redisUrl,
    ...webhookTarget,
    ...timeLimits(identityPatience, options.strictTimes),
    ...envOf(options.identityEnv, index),
  }));
  const webhookDatabase = options.webhooks ? await newDatabase('webhook-service') : undefined;
  const webhooks = await several('webhook-service', options.webhooks ?? 0, (index) => ({
    GRPC_PORT: String(webhookPorts[index]),
    DATABASE_URL: webhookDatabase ?? '',
    IDENTITY_GRPC_TARGET: grpcTarget(identities),
    BUSINESS_GRPC_TARGET: grpcTarget(businesses),
    ENCRYPTION_KEYS: secrets.webhookEncryptionKey,
    ...timeLimits(webhookPatience, options.strictTimes),
    ...options.webhookEnv,
  }));
  const behind = {
    identities,
    businesses,
    webhooks,
    redis,
    secrets,
    mailDirectory: fixed.MAIL_DIR,
    databases: {
      identity: identityDatabase,
      business: businessDatabase,
      ...(webhookDatabase !== undefined && { webhook: webhookDatabase }),
    },
  };
  return { ...behind, ...(await startGateways(behind, options, closers, firstPort)) };
}

export type GatewayOptions = Pick<PlatformOptions, 'gateways' | 'upstreams' | 'gatewayEnv' | 'strictTimes'>;

/** Starts gateways in front of services that run, the first one on `firstPort`, and registers how to end each. */
export async function startGateways(
  { identities, businesses, redis, secrets }: Omit<PlatformProcesses, 'gateways' | 'publicUrl'>,
  options: GatewayOptions,
  closers: (() => unknown)[],
  firstPort: number,
): Promise<Pick<PlatformProcesses, 'gateways' | 'publicUrl'>> {
  const origins = options.upstreams ?? businesses.map(({ ports }) => `http://127.0.0.1:${ports.http}`);
  const { gatewayEnv } = options;
  const publicUrl = `http://127.0.0.1:${firstPort}`;
  const gateways = await replicas(closers)('gateway', options.gateways ?? 1, (index) => ({
    ...(index === 0 && { PORT: String(firstPort) }),
    IDENTITY_GRPC_TARGET: grpcTarget(identities),
    IDENTITY_HTTP_ORIGINS: identities.map(({ ports }) => `http://127.0.0.1:${ports.http}`).join(','),
    GATEWAY_SECRET: secrets.gatewaySecret,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    // Tests show many bad credentials, all from one address.
    UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000',
    BUSINESS_HTTP_ORIGINS: origins.join(','),
    PUBLIC_URL: publicUrl,
    REPORT_INTERVAL_MS: '250',
    ...(redis && { REDIS_URL: redis.url }),
    ...timeLimits(gatewayPatience, options.strictTimes),
    ...envOf(gatewayEnv, index),
  }));
  // On a busy machine a gateway may start without Redis, and then admits only a part of each limit.
  if (redis !== undefined && !options.strictTimes) await Promise.all(gateways.map(untilRedisIsUp));
  return { gateways, publicUrl };
}

const envOf = (given: PlatformOptions['gatewayEnv'], index: number): Environment =>
  typeof given === 'function' ? given(index) : (given ?? {});

const untilRedisIsUp = (gateway: TestService) =>
  expectEventually(
    async () => {
      if (/^gateway_redis_up\S* 0$/m.test(await metricsOf(gateway)))
        throw new Error('a gateway is without Redis');
    },
    { withinMs: 5_000 },
  );

/**
 * Describes a platform of running processes with its own demo business. `close` ends only its connections.
 * @param identityEnv more variables of identity-service, which the operations in the test's process have, too
 */
export async function connectPlatform(
  processes: PlatformProcesses,
  identityEnv: Environment = {},
): Promise<Platform> {
  const targets = {
    business: grpcTarget(processes.businesses),
    identity: grpcTarget(processes.identities),
  };
  const businessCalls = connectBusinesses(targets.business);
  const businessId = await businessCalls.createVerifiedBusiness('demo');
  const operations = connectOperations({
    database: processes.databases.identity,
    redisUrl: processes.redis?.url,
    secrets: processes.secrets,
    businessTarget: targets.business,
    env: identityEnv,
  });
  const gatewayPorts = processes.gateways.map(({ ports }) => ports.http ?? 0);
  return {
    ...processes,
    ...businessCalls,
    ...apiKeyCalls(operations, businessId),
    ...applicationCalls(operations),
    gatewayPorts,
    businessId,
    targets,
    request: (gateway, method, path, given) => request(gatewayPorts[gateway] ?? 0, method, path, given),
    me: (key, gateway = 0) => request(gatewayPorts[gateway] ?? 0, 'GET', '/v2/businesses/me', { key }),
    sql: (text, values) => query(processes.databases.identity, text, values),
    leaveDatabase: operations.close,
    close: async () => {
      businessCalls.disconnect();
      await operations.close();
    },
  };
}

/** Starts replicas side by side, and registers how to end each. */
function replicas(closers: (() => unknown)[]) {
  return async (
    service: Parameters<typeof spawnService>[0],
    count: number,
    env: (index: number) => Environment,
  ): Promise<TestService[]> => {
    const one = async (index: number) => {
      const started = await spawnService(service, env(index), count > 1 ? `${service}-${index}` : service);
      closers.push(started.kill);
      return started;
    };
    return Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  };
}

/** One target with every address: the client balances over them. */
function grpcTarget(services: readonly TestService[]): string {
  return `ipv4:${services.map(({ ports }) => `127.0.0.1:${ports.grpc}`).join(',')}`;
}
