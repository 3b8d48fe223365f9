import { businessService } from '@platform/protos/business';
import { authorizationService, usageService } from '@platform/protos/identity';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { type GrpcServer, grpcService, startGrpcServer } from '@platform/service-kit/grpc/server.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { generateSecrets, type PlatformSecrets } from '../../deploy/local/secrets.ts';
import { type ApiKeys, apiKeyCalls } from './api-keys.ts';
import type { DatabaseOwner } from './database-templates.ts';
import { identityEnv } from './identity-env.ts';
import { connectOperations } from './operations.ts';
import { callPatience, identityPatience } from './patience.ts';
import { createDatabase, query } from './postgres.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { type Environment, spawnService, type TestService } from './service.ts';

const plain = { kind: 'plain' } as const;

/** Businesses that the stand-in for business-service knows. */
export const knownBusiness = 7;
export const otherBusiness = 8;

export interface IdentityPlatformOptions {
  readonly replicas?: number;
  /** false: no REDIS_URL. */
  readonly redis?: boolean;
  readonly createDatabase?: (owner: DatabaseOwner) => Promise<string>;
  readonly env?: Environment;
}

/** identity-service alone over PostgreSQL and Redis; in the place of business-service a stand-in with two businesses. */
export interface IdentityPlatform extends ApiKeys {
  readonly replicas: readonly TestService[];
  readonly redis: TestRedis | undefined;
  readonly database: string;
  readonly secrets: PlatformSecrets;
  /** gRPC target with every replica. */
  readonly target: string;
  readonly authorizationRpc: GrpcClient<typeof authorizationService>['rpc'];
  readonly usageRpc: GrpcClient<typeof usageService>['rpc'];
  /** Response of Authorize; without a scope, for authentication alone. */
  authorize(bearer: string, requiredScope?: string): ReturnType<Authorize>;
  /** Starts one more replica that shares everything, with other variables. */
  addReplica(env: Environment): Promise<TestService>;
  /** Rows of the service's database. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

type Authorize = GrpcClient<typeof authorizationService>['rpc']['Authorize'];

/** Starts everything. What a failed start leaves is ended before it rejects. */
export async function startIdentityPlatform(
  options: IdentityPlatformOptions = {},
): Promise<IdentityPlatform> {
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
  options: IdentityPlatformOptions,
  closers: (() => unknown)[],
): Promise<Omit<IdentityPlatform, 'close'>> {
  const secrets = generateSecrets();
  const [database, redis, businesses] = await Promise.all([
    (options.createDatabase ?? createDatabase)('identity-service'),
    options.redis === false ? undefined : startRedis(),
    standInBusinessService(),
  ]);
  closers.push(
    () => redis?.close(),
    () => businesses.close(0),
  );
  const fixed = identityEnv(secrets);
  const addReplica = async (env: Environment) => {
    const service = await spawnService('identity-service', {
      DATABASE_URL: database,
      BUSINESS_GRPC_TARGET: `ipv4:127.0.0.1:${businesses.port}`,
      ...fixed,
      ...(redis && { REDIS_URL: redis.url }),
      ...identityPatience,
      ...options.env,
      ...env,
    });
    closers.push(service.kill);
    return service;
  };
  const replicas = await Promise.all(Array.from({ length: options.replicas ?? 1 }, () => addReplica({})));
  const target = `ipv4:${replicas.map(({ ports }) => `127.0.0.1:${ports.grpc}`).join(',')}`;
  const operations = connectOperations({
    database,
    redisUrl: redis?.url,
    secrets,
    businessTarget: `ipv4:127.0.0.1:${businesses.port}`,
    env: options.env,
  });
  // As the gateway asks: a second replica when the first one is slow, or going.
  const authorization = createGrpcClient(authorizationService, { target, tls: plain, hedgeAfterMs: 100 });
  const usage = createGrpcClient(usageService, { target, tls: plain, ...callPatience });
  closers.push(operations.close, authorization.close, usage.close);
  return {
    ...apiKeyCalls(operations, knownBusiness),
    replicas,
    redis,
    database,
    secrets,
    target,
    authorizationRpc: authorization.rpc,
    usageRpc: usage.rpc,
    authorize: (bearer, requiredScope = '') =>
      authorization.rpc.Authorize({ bearer, clientIp: '192.0.2.1', requiredScope }, { deadlineMs: 30_000 }),
    addReplica,
    sql: (text, values) => query(database, text, values),
  };
}

/** Responds to GetBusiness; these tests need no other rpc. */
function standInBusinessService(): Promise<GrpcServer> {
  const unexpected = async () => {
    throw new AppError('internal', 'unexpected', 'not part of the stand-in');
  };
  return startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: plain,
    callers: {},
    logger: createLogger({ service: 'stand-in', level: 'silent' }),
    registry: createRegistry('stand-in'),
    services: [
      grpcService(businessService, {
        GetBusiness: async ({ businessId }) => {
          if (businessId === knownBusiness || businessId === otherBusiness) return { business: null };
          throw new AppError('not_found', 'business_not_found', 'no such business');
        },
        CreateBusiness: unexpected,
        UpdateBusiness: unexpected,
        SubmitVerification: unexpected,
        ApproveVerification: unexpected,
        RejectVerification: unexpected,
        BanBusiness: unexpected,
        UnbanBusiness: unexpected,
        ListBanned: unexpected,
        ListBanChanges: async () => ({ changes: [], lastSequence: 0 }),
        ListBusinesses: unexpected,
        FindLookalikes: unexpected,
      }),
    ],
  });
}
