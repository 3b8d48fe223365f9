import type { AddressInfo } from 'node:net';
import { authorizationService, originService } from '@platform/protos/identity';
import { checkHosts } from '@platform/service-kit/config/check-hosts.ts';
import { measureCertificates, watchGrpcTls } from '@platform/service-kit/grpc/certificates.ts';
import { createGrpcClient, type GrpcClientOptions } from '@platform/service-kit/grpc/client.ts';
import { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import { createHealthClient, type HealthClient, probeHealth } from '@platform/service-kit/grpc/server.ts';
import type { GrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { drainHttpServer } from '@platform/service-kit/http/server.ts';
import { type ReadinessCheck, startOpsServer } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import { hasTag } from '@platform/service-kit/secrets/checked-token.ts';
import { createLogStream } from '@platform/service-kit/telemetry/log-stream.ts';
import { createLogger, type Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { openTracer } from '@platform/service-kit/telemetry/tracer.ts';
import { createUnknownCredentialLimit } from './access/authorize-request.ts';
import { type Authorizer, createAuthorizer, createSequence, type Sequence } from './access/authorizer.ts';
import { type InstrumentedAuthorizer, instrumentAuthorizer } from './access/authorizer-metrics.ts';
import { type Admit, createBatcher, createPeek, type Limiter } from './access/batcher.ts';
import { createAccessCheck, createRecheck } from './access/check-access.ts';
import { createConcurrencyLimit } from './access/concurrency-limit.ts';
import {
  createAuthorizeMetrics,
  createFetchAuthorization,
  type FetchAuthorizationDeps,
  isResponse,
} from './access/identity-client.ts';
import { createRedisEpochs } from './access/redis-epochs.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { readDocs } from './docs.ts';
import { createClientResolver, reportUnreadable } from './edge/client-address.ts';
import { createAllowedOrigins } from './edge/cors.ts';
import { openServer } from './edge/open-server.ts';
import { LoadShedder, watchEventLoop } from './edge/overload.ts';
import { createRequestMetrics } from './edge/request-metrics.ts';
import { createOwnHostCheck } from './edge/request-target.ts';
import { openUpstreams } from './forwarding/open-upstreams.ts';
import { openLimiters } from './rate-limit/open-limiters.ts';
import type { RedisLink } from './rate-limit/redis-link.ts';
import { createExposedCredentials } from './reporting/exposed-credentials.ts';
import { createExposedSecrets } from './reporting/exposed-secrets.ts';
import { createRequestLog } from './reporting/request-log.ts';
import { createRequestRecordBuffer, startRequestReporter } from './reporting/request-records.ts';
import { createRetiredCallsBuffer, startRetiredCallsReporter } from './reporting/retired-calls.ts';
import { createUsageBuffer, reportService, startUsageReporter, type UsageClient } from './reporting/usage.ts';
import { createRouteTable, type RouteTable } from './routes.ts';

const service = 'gateway';

const cacheSize = 20_000;
const maxCredentials = 50_000;
/** IPv4 addresses and IPv6 networks held in memory. */
const maxNetworks = 50_000;
const maxUsageEntries = 50_000;
/** Retired strings whose calls are held in memory. */
const maxRetired = 10_000;
/** Look-ups per minute and network of credentials that were sent over http. */
const exposedPerMinute = 30;

/** Reports per minute of client secrets sent over http, over all networks: without a keyed tag any client can forge them. */
const exposedSecretsPerMinute = 600;
/** Requests held for the log: some seconds of a gateway at its limit. */
const recordLimits = { all: 20_000, perBusiness: 10_000, unauthenticated: 1_000 };
/** Milliseconds after which a call is hedged at a second identity-service address. */
const hedgeAfterMs = 100;
/** The same for health checks, which are faster. */
const healthHedgeAfterMs = 50;

/** Milliseconds from the start of a request for which it waits for a paused Redis while identity-service is unavailable. */
const pauseBudgetMs = 200;

const monotonicNow = () => performance.now();

/** Milliseconds for which requests may continue to wait for events while the gateway shuts down. */
const waitGraceMs = 10_000;

/** Opens the limiters and everything that decides about a request. */
function openAccess(
  config: GatewayConfig,
  identity: Pick<FetchAuthorizationDeps, 'client' | 'liveness'>,
  registry: Registry,
  logger: Logger,
) {
  const sequence = createSequence();
  const epochs = createRedisEpochs(sequence, cacheSize);
  const limiters = openLimiters({
    address: config.REDIS_URL,
    timeoutMs: config.REDIS_TIMEOUT_MS,
    logger,
    registry,
    maxCredentials,
    onDataLoss: epochs.clear,
  });
  const authorizer = createInstrumentedAuthorizer(config, identity, sequence, registry, logger);
  const accessCheck = (admitBy: (limiter: Limiter) => Admit, source: Authorizer = authorizer) =>
    createAccessCheck({
      authorizer: source,
      sequence,
      epochs,
      redisLimiter: limiters.redisLimiter && admitBy(limiters.redisLimiter),
      localLimiter: admitBy(limiters.localLimiter),
      untilRedis: async ({ startedAt }) =>
        (await limiters.link?.untilUp(startedAt + pauseBudgetMs - monotonicNow())) ?? false,
    });
  const recheck = createRecheck({
    peekAccess: accessCheck(createPeek, authorizer.rechecks),
    now: limiters.now,
    monotonicNow,
  });
  const [checkAccess, peekAccess] = [accessCheck(createBatcher), accessCheck(createPeek)];
  return { checkAccess, peekAccess, recheck, limiters, authorizer, sequence };
}

const tagCheck = (config: GatewayConfig) => (bearer: string) => hasTag(bearer, config.CREDENTIAL_TAG_KEYS);

function createInstrumentedAuthorizer(
  config: GatewayConfig,
  identity: Pick<FetchAuthorizationDeps, 'client' | 'liveness'>,
  sequence: Sequence,
  registry: Registry,
  logger: Logger,
): InstrumentedAuthorizer {
  const budgetMs = config.AUTHORIZE_TIMEOUT_MS;
  const limit = createConcurrencyLimit({
    targetMs: budgetMs / 4,
    monotonicNow,
    ...createAuthorizeMetrics(registry),
  });
  const options = {
    hasValidTag: tagCheck(config),
    sequence,
    monotonicNow,
    budgetMs,
    cacheSize: config.ANSWER_CACHE === 'on' ? cacheSize : 0,
  };
  return instrumentAuthorizer(
    createFetchAuthorization({ ...identity, limit, budgetMs, logger }),
    (fetchAuthorization) => createAuthorizer({ fetchAuthorization, ...options }),
    registry,
  );
}

/** Distinguishes a dead identity-service from a slow one by health checks. */
function watchIdentity(options: GrpcClientOptions & { readonly patienceMs: number }) {
  const health = createHealthClient(options);
  const liveness = new Liveness({
    probe: () => health.rpc.Check({ service: '' }, { deadlineMs: 1_000 }),
    isResponse,
    patienceMs: options.patienceMs,
    deadError: () => new Error('identity-service does not respond to health checks'),
  });
  const close = () => {
    liveness.close();
    health.close();
  };
  return { liveness, close };
}

/** Opens the gRPC clients of identity-service. */
function openIdentity(config: GatewayConfig, tls: GrpcTls, registry: Registry) {
  const target = config.IDENTITY_GRPC_TARGET;
  const keepaliveTimeoutMs = config.GRPC_KEEPALIVE_TIMEOUT_MS;
  const shared = { target, tls, keepaliveTimeoutMs, observe: sentRpcs(registry) };
  const client = createGrpcClient(authorizationService, { ...shared, hedgeAfterMs });
  const usage = createGrpcClient(reportService, shared);
  const origins = createGrpcClient(originService, { ...shared, hedgeAfterMs });
  const health = createHealthClient({ target, tls });
  const patienceMs = config.IDENTITY_PATIENCE_MS;
  const watched = watchIdentity({ target, tls, hedgeAfterMs: healthHedgeAfterMs, patienceMs });
  const close = () => {
    for (const opened of [watched, client, origins, health, usage]) opened.close();
  };
  return { client, usage, origins, health, liveness: watched.liveness, close };
}

/** Starts the gateway. @param worker label of its metrics, where it is one of several processes */
export async function startGateway(config: GatewayConfig, worker?: string): Promise<RunningService> {
  const stream = createLogStream();
  const logger = createLogger({ service, level: config.LOG_LEVEL, stream });
  const registry = createRegistry(service, worker === undefined ? {} : { worker });
  const tls = watchGrpcTls(config, logger);
  await checkHosts(config);
  measureCertificates(registry, tls);
  const tracer = openTracer({ service, config, registry, logger });
  const identity = openIdentity(config, tls, registry);
  const access = openAccess(config, identity, registry, logger);
  await access.limiters.open();
  const reporting = startReporting(config, identity.usage, access, registry, logger);
  const upstreams = openUpstreams(config, tls, registry, logger);
  const stopping = new AbortController();
  const routes = createRouteTable(config.API_DIR);
  const edge = createEdge(config, routes, identity, registry, logger);
  const app = createApp({
    stopping: stopping.signal,
    ...access,
    ...reporting,
    ...edge,
    tracer,
    logger,
    logRequest: createRequestLog({
      service,
      isEnabled: logger.isLevelEnabled('info'),
      write: (line) => stream.write(line),
    }),
    upstreams,
    docs: await readDocs({
      directory: config.DOCS_DIR,
      api: config.API_DIR,
      publicUrl: config.PUBLIC_URL,
      supportEmail: config.SUPPORT_EMAIL,
      securityContact: config.SECURITY_CONTACT,
    }),
  });
  const { server, publicTls } = openServer(app, edge, config, registry, logger);
  routes.measure(registry);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(config.PORT, config.HTTP_HOST, resolve);
  });
  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: readinessChecks(identity.health, access.limiters.link),
    drainDelayMs: config.DRAIN_DELAY_MS,
  });
  const ports = { http: (server.address() as AddressInfo).port, ops: ops.port };
  logger.info({ ports }, 'gateway listens');
  const stop = async () => {
    await ops.drain();
    publicTls?.closeSessions();
    const end = setTimeout(() => stopping.abort(), waitGraceMs);
    await drainHttpServer(server);
    clearTimeout(end);
    await reporting.stop();
    for (const { agent, pool } of upstreams.values()) {
      agent.destroy();
      pool.destroy();
    }
    await access.limiters.close();
    identity.close();
    await tracer?.close();
    await ops.close();
  };
  return { logger, ports, stop };
}

/** Dependencies of the request path beside access, reporting and upstreams. */
function createEdge(
  config: GatewayConfig,
  routes: RouteTable,
  identity: ReturnType<typeof openIdentity>,
  registry: Registry,
  logger: Logger,
) {
  const shedder = new LoadShedder();
  watchEventLoop(shedder);
  return {
    routes,
    requestChecks: config.API_DIR.requestChecks,
    shedder,
    unknownCredentialLimit: createUnknownCredentialLimit({
      perMinute: config.UNKNOWN_CREDENTIALS_PER_MINUTE,
      maxNetworks,
      monotonicNow,
    }),
    origins: createAllowedOrigins({
      client: identity.origins,
      liveness: identity.liveness,
      deadlineMs: config.AUTHORIZE_TIMEOUT_MS,
      monotonicNow,
      logger,
    }),
    metrics: createRequestMetrics(registry, routes.names),
    resolveClient: createClientResolver(
      config.TRUSTED_PROXIES,
      reportUnreadable({ registry, logger, monotonicNow }),
    ),
    isOwnHost: createOwnHostCheck(config.PUBLIC_URL),
    docsUrl: config.DOCS_URL,
    publicUrl: config.PUBLIC_URL,
    maxBodyBytes: config.MAX_BODY_BYTES,
  };
}

/** Buffers of usage and requests, reported to identity-service. */
function startReporting(
  config: GatewayConfig,
  client: UsageClient,
  { authorizer, sequence }: Pick<ReturnType<typeof openAccess>, 'authorizer' | 'sequence'>,
  registry: Registry,
  logger: Logger,
) {
  const everyMs = config.REPORT_INTERVAL_MS;
  const usage = createUsageBuffer(maxUsageEntries);
  const retiredCalls = createRetiredCallsBuffer(maxRetired);
  const records = createRequestRecordBuffer(recordLimits);
  const exposedCredentials = createExposedCredentials({
    authorizer,
    sequence,
    hasValidTag: tagCheck(config),
    limit: createUnknownCredentialLimit({ perMinute: exposedPerMinute, maxNetworks, monotonicNow }),
    records,
    monotonicNow,
  });
  const exposedSecrets = createExposedSecrets({
    client,
    limits: {
      network: createUnknownCredentialLimit({ perMinute: exposedPerMinute, maxNetworks, monotonicNow }),
      all: createUnknownCredentialLimit({ perMinute: exposedSecretsPerMinute, maxNetworks: 1, monotonicNow }),
    },
  });
  const reporters = [
    startUsageReporter(client, usage, everyMs, registry, logger),
    startRequestReporter(client, records, everyMs, registry, logger),
    startRetiredCallsReporter(client, retiredCalls, everyMs, registry, logger),
  ];
  const stop = async () => {
    await Promise.all([exposedCredentials.settle(), exposedSecrets.settle()]);
    await Promise.all(reporters.map((reporter) => reporter.stop()));
  };
  return { usage, records, retiredCalls, exposedCredentials, exposedSecrets, stop };
}

/** identity-service is needed at the start only, Redis never; both are reported. */
function readinessChecks(health: HealthClient, link: RedisLink | undefined): ReadinessCheck[] {
  const identity = {
    name: 'identity-service',
    probe: () => probeHealth(health),
    needed: 'at_start',
  } as const;
  if (link === undefined) return [identity];
  return [identity, { name: 'redis', probe: async () => link.redis.ping(), needed: 'never' }];
}
