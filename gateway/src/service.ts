import type { AddressInfo } from 'node:net';
import { authorizationService, originService, usageService } from '@platform/protos/identity';
import { measureCertificates } from '@platform/service-kit/certificate-metrics.ts';
import { checkHosts } from '@platform/service-kit/check-hosts.ts';
import { hasTag } from '@platform/service-kit/checked-token.ts';
import { createGrpcClient, type GrpcClientOptions } from '@platform/service-kit/grpc/client.ts';
import { createLiveness, type Liveness } from '@platform/service-kit/grpc/liveness.ts';
import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import { createHealthClient, type HealthClient, probeHealth } from '@platform/service-kit/grpc/server.ts';
import { type GrpcTls, readGrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { drainHttpServer } from '@platform/service-kit/http/server.ts';
import { createLogger, type Logger } from '@platform/service-kit/logger.ts';
import { createRegistry, type Registry } from '@platform/service-kit/metrics.ts';
import { type ReadinessCheck, startOpsServer } from '@platform/service-kit/ops-server.ts';
import type { RunningService } from '@platform/service-kit/run-service.ts';
import { createUnknownCredentialLimit } from './access/authorize-request.ts';
import { createAuthorizer, createSequence } from './access/authorizer.ts';
import { instrumentAuthorizer } from './access/authorizer-metrics.ts';
import { createBatcher } from './access/batcher.ts';
import {
  type AccessCheck,
  createAccessCheck,
  createRecheck,
  createRedisEpochs,
  type Recheck,
} from './access/check-access.ts';
import { createConcurrencyLimit } from './access/concurrency-limit.ts';
import {
  createAuthorizeMetrics,
  createFetchAuthorization,
  type FetchAuthorizationDeps,
  isResponse,
} from './access/identity-client.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { createClientResolver } from './edge/client-address.ts';
import { createAllowedOrigins } from './edge/cors.ts';
import { createRequestMetrics } from './edge/observe.ts';
import { LoadShedder, watchEventLoop } from './edge/overload.ts';
import { createEdgeServer } from './edge/server.ts';
import { createTlsServer, readCertificate, type TlsServer, watchCertificate } from './edge/tls.ts';
import { UpstreamAgent, upstreamAddress } from './forwarding/agent.ts';
import { FairQueue, registerUpstreamMetrics, slotLimit } from './forwarding/fair-queue.ts';
import type { Upstreams } from './forwarding/proxy.ts';
import { type OpenLimiters, openLimiters } from './rate-limit/open-limiters.ts';
import type { RedisLink } from './rate-limit/redis-link.ts';
import { createRedisMetrics } from './rate-limit/redis-link.ts';
import { createFailedRequestBuffer, startFailedRequestReporter } from './reporting/failed-requests.ts';
import { createUsageBuffer, startUsageReporter } from './reporting/usage.ts';

const cacheSize = 20_000;
const maxCredentials = 50_000;
/** IPv4 addresses and IPv6 networks whose unknown credentials are counted. */
const maxNetworks = 50_000;
const maxUsageEntries = 50_000;
const failedRequestLimits = { all: 1_000, perBusiness: 200, unauthenticated: 100 };
/** Milliseconds after which a second identity-service address is asked. */
const hedgeAfterMs = 100;
/** The same for a health check, which takes less. */
const pulseHedgeAfterMs = 50;

const monotonicNow = () => performance.now();

/** Requests under way at one upstream, each on a connection of its own. */
const upstreamSlots = 512;

interface Access {
  readonly checkAccess: AccessCheck;
  readonly recheck: Recheck;
  readonly limiters: OpenLimiters;
}

function openAccess(
  config: GatewayConfig,
  identity: Pick<FetchAuthorizationDeps, 'client' | 'liveness'>,
  registry: Registry,
  logger: Logger,
): Access {
  const sequence = createSequence();
  const epochs = createRedisEpochs(sequence, cacheSize);
  const address = config.REDIS_URL;
  const noteRedisChange =
    address === undefined ? () => {} : createRedisMetrics(registry, () => limiters.link?.isUp() ?? false);
  const onLost = () => {
    epochs.clear();
    noteRedisChange();
  };
  const limiters = openLimiters({ address, logger, registry, maxCredentials, onLost });
  const budgetMs = config.AUTHORIZE_TIMEOUT_MS;
  const limit = createConcurrencyLimit({
    targetMs: budgetMs / 4,
    monotonicNow,
    ...createAuthorizeMetrics(registry),
  });
  const policy = {
    hasValidTag: (bearer: string) => hasTag(bearer, config.CREDENTIAL_TAG_KEYS),
    budgetMs,
    cacheSize: config.ANSWER_CACHE === 'on' ? cacheSize : 0,
  };
  const authorizer = instrumentAuthorizer(
    createFetchAuthorization({ ...identity, limit, budgetMs, logger }),
    (fetchAuthorization) => createAuthorizer({ fetchAuthorization, sequence, monotonicNow, ...policy }),
    registry,
  );
  const checkAccess = createAccessCheck({
    authorizer,
    sequence,
    epochs,
    redisLimiter: limiters.redisLimiter && createBatcher(limiters.redisLimiter),
    localLimiter: createBatcher(limiters.localLimiter),
  });
  return {
    checkAccess,
    recheck: createRecheck({ authorizer: authorizer.rechecks, sequence, now: Date.now, monotonicNow }),
    limiters,
  };
}

/** Tells an identity-service that is dead from one that is slow, by health checks on connections that calls use, too. */
function watchIdentity(options: GrpcClientOptions & { readonly patienceMs: number }): Liveness {
  const pulse = createHealthClient(options);
  const liveness = createLiveness({
    probe: () => pulse.rpc.Check({ service: '' }, { deadlineMs: 1_000 }),
    isAnswer: isResponse,
    patienceMs: options.patienceMs,
    deadError: () => new Error('identity-service shows no sign of life'),
  });
  const close = () => {
    liveness.close();
    pulse.close();
  };
  return { ...liveness, close };
}

/** Everything by which the gateway speaks to identity-service over gRPC. */
function openIdentity(config: GatewayConfig, tls: GrpcTls, registry: Registry) {
  const target = config.IDENTITY_GRPC_TARGET;
  const shared = { target, tls, observe: sentRpcs(registry) };
  const client = createGrpcClient(authorizationService, { ...shared, hedgeAfterMs });
  const usage = createGrpcClient(usageService, shared);
  const origins = createGrpcClient(originService, { ...shared, hedgeAfterMs });
  const health = createHealthClient({ target, tls });
  const patienceMs = config.IDENTITY_PATIENCE_MS;
  const liveness = watchIdentity({ target, tls, hedgeAfterMs: pulseHedgeAfterMs, patienceMs });
  const close = () => {
    for (const opened of [liveness, client, origins, health, usage]) opened.close();
  };
  return { client, usage, origins, health, liveness, close };
}

/** Starts the gateway with everything that it holds open. */
export async function startGateway(config: GatewayConfig): Promise<RunningService> {
  const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
  const registry = createRegistry('gateway');
  const tls = readGrpcTls(config);
  await checkHosts(config);
  measureCertificates(registry, tls);
  const identity = openIdentity(config, tls, registry);
  const { checkAccess, recheck, limiters } = openAccess(config, identity, registry, logger);
  await limiters.open();
  const usage = createUsageBuffer(maxUsageEntries);
  const requests = createFailedRequestBuffer(failedRequestLimits);
  const reporters = [
    startUsageReporter(identity.usage, usage, config.REPORT_INTERVAL_MS, logger),
    startFailedRequestReporter(identity.usage, requests, config.REPORT_INTERVAL_MS, registry, logger),
  ];
  const upstreams = openUpstreams(config, tls, logger);
  registerUpstreamMetrics(registry, upstreams);
  const shedder = new LoadShedder();
  watchEventLoop(shedder);
  const app = createApp({
    logger,
    shedder,
    checkAccess,
    recheck,
    unknownCredentialLimit: createUnknownCredentialLimit({
      perMinute: config.UNKNOWN_CREDENTIALS_PER_MINUTE,
      maxNetworks,
      monotonicNow,
    }),
    origins: createAllowedOrigins({
      client: identity.origins,
      deadlineMs: config.AUTHORIZE_TIMEOUT_MS,
      monotonicNow,
      logger,
    }),
    usage,
    requests,
    docsUrl: config.DOCS_URL,
    metrics: createRequestMetrics(registry),
    resolveClient: createClientResolver(config.TRUSTED_PROXIES),
    upstreams,
    maxBodyBytes: config.MAX_BODY_BYTES,
  });
  const publicTls = openPublicTls(config, registry, logger);
  const server = createEdgeServer(app, config.MAX_CONNECTIONS, logger, publicTls?.server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(config.PORT, config.HTTP_HOST, resolve);
  });
  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: readinessChecks(identity.health, limiters.link),
    drainDelayMs: config.DRAIN_DELAY_MS,
  });
  const ports = { http: (server.address() as AddressInfo).port, ops: ops.port };
  logger.info({ ports }, 'gateway listens');
  const stop = async () => {
    await ops.drain();
    publicTls?.closeSessions();
    await drainHttpServer(server);
    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const { agent } of Object.values(upstreams)) agent.destroy();
    await limiters.close();
    identity.close();
    await ops.close();
  };
  return { logger, ports, stop };
}

/** Where a certificate is named, the public port speaks TLS, with the certificate that the files hold at the time. */
function openPublicTls(config: GatewayConfig, registry: Registry, logger: Logger): TlsServer | undefined {
  const certificate = readCertificate(config);
  if (certificate === undefined) return undefined;
  const tlsServer = createTlsServer(certificate, config.MAX_CONNECTIONS, logger);
  watchCertificate(config, certificate, logger, registry, tlsServer.renew);
  return tlsServer;
}

function openUpstreams(config: GatewayConfig, tls: GrpcTls, logger: Logger): Upstreams {
  const agentFor = (origins: readonly string[]) =>
    new UpstreamAgent({
      addresses: origins.map((origin) => upstreamAddress(origin, tls, logger)),
      timeoutMs: config.UPSTREAM_TIMEOUT_MS,
      maxConnections: upstreamSlots,
    });
  const newQueue = () =>
    new FairQueue({
      slots: upstreamSlots,
      limitFor: slotLimit,
      maxWaiting: 2_048,
      maxWaitMs: 2_000,
    });
  const secretProof = { 'x-gateway-secret': config.GATEWAY_SECRET };
  return {
    business: {
      agent: agentFor(config.BUSINESS_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'business-service',
      authHeadersFor: ({ passport }) => ({ 'x-passport': passport }),
      forwardsCredentials: false,
    },
    identity: {
      agent: agentFor(config.IDENTITY_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'identity-service',
      authHeadersFor: () => secretProof,
      forwardsCredentials: true,
    },
  };
}

/** Once it has met identity-service, the gateway works on without it and without Redis; both are reported. */
function readinessChecks(health: HealthClient, link: RedisLink | undefined): ReadinessCheck[] {
  const identity = {
    name: 'identity-service',
    probe: () => probeHealth(health),
    needed: 'at_start',
  } as const;
  if (link === undefined) return [identity];
  return [identity, { name: 'redis', probe: async () => link.redis.ping(), needed: 'never' }];
}
