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
import { createUnknownLimit } from './access/authorize-request.ts';
import { createAuthorizer, createSequence } from './access/authorizer.ts';
import { countAnswers } from './access/authorizer-metrics.ts';
import { createBatcher } from './access/batcher.ts';
import {
  createGatekeeper,
  createKnownIncarnations,
  createRecheck,
  type Gatekeeper,
  type Recheck,
} from './access/check-access.ts';
import { createConcurrencyLimit } from './access/concurrency-limit.ts';
import { type AskDeps, createAsk, createAuthorizeMetrics, isAnswer } from './access/identity-client.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { readDocs } from './docs.ts';
import { createCallerResolver } from './edge/client-address.ts';
import { createAllowedOrigins } from './edge/cors.ts';
import { createRequestMetrics } from './edge/observe.ts';
import { LoadShedder, watchEventLoop } from './edge/overload.ts';
import { createEdgeServer } from './edge/server.ts';
import { createTlsServer, readCertificate, type TlsServer, watchCertificate } from './edge/tls.ts';
import { UpstreamAgent, upstreamAddress } from './forwarding/agent.ts';
import { FairQueue, placeBound, registerUpstreamMetrics } from './forwarding/places.ts';
import type { Upstreams } from './forwarding/proxy.ts';
import { type OpenLimiters, openLimiters } from './rate-limit/open-limiters.ts';
import type { RedisLink } from './rate-limit/redis-link.ts';
import { createRedisMetrics } from './rate-limit/redis-link.ts';
import { createRequestBook, startRequestReporter } from './reporting/failed-requests.ts';
import { createUsageBook, startUsageReporter } from './reporting/usage.ts';

const maxAnswers = 20_000;
const maxCallers = 50_000;
/** IPv4 addresses and IPv6 networks whose unknown credentials are counted. */
const maxNetworks = 50_000;
const maxUsageEntries = 50_000;
const requestRecords = { all: 1_000, perBusiness: 200, ofNobody: 100 };
/** Milliseconds after which a second identity-service address is asked. */
const hedgeAfterMs = 100;
/** The same for a health check, which takes less. */
const pulseHedgeAfterMs = 50;

/** Milliseconds after the beginning of a request for which Redis is waited for that pauses while identity-service is lost. */
const pauseBudgetMs = 200;

const monotonicNow = () => performance.now();

/** Requests under way at one upstream, each on a connection of its own. */
const upstreamPlaces = 512;

interface Access {
  readonly gatekeeper: Gatekeeper;
  readonly recheck: Recheck;
  readonly limiters: OpenLimiters;
}

function openAccess(
  config: GatewayConfig,
  identity: Pick<AskDeps, 'client' | 'liveness'>,
  registry: Registry,
  logger: Logger,
): Access {
  const sequence = createSequence();
  const known = createKnownIncarnations(sequence, maxAnswers);
  const address = config.REDIS_URL;
  const noteRedisChange =
    address === undefined ? () => {} : createRedisMetrics(registry, () => limiters.link?.isUp() ?? false);
  const events = { onChange: noteRedisChange, onForget: known.forgetAll };
  const limiters = openLimiters({ address, logger, registry, maxCallers, ...events });
  const budgetMs = config.AUTHORIZE_TIMEOUT_MS;
  const limit = createConcurrencyLimit({
    targetMs: budgetMs / 4,
    monotonicNow,
    ...createAuthorizeMetrics(registry),
  });
  const policy = {
    mayBeIssued: (bearer: string) => hasTag(bearer, config.CREDENTIAL_TAG_KEYS),
    budgetMs,
    maxAnswers: config.ANSWER_CACHE === 'on' ? maxAnswers : 0,
  };
  const authorizer = countAnswers(
    createAsk({ ...identity, limit, budgetMs, logger }),
    (ask) => createAuthorizer({ ask, sequence, monotonicNow, ...policy }),
    registry,
  );
  const gatekeeper = createGatekeeper({
    authorizer,
    sequence,
    known,
    shared: limiters.redisLimiter && createBatcher(limiters.redisLimiter),
    standIn: createBatcher(limiters.localLimiter),
    untilShared: async ({ beganAt }) =>
      (await limiters.link?.untilUp(beganAt + pauseBudgetMs - monotonicNow())) ?? false,
  });
  return {
    gatekeeper,
    recheck: createRecheck({ authorizer: authorizer.rechecks, sequence, now: Date.now, monotonicNow }),
    limiters,
  };
}

/** Tells an identity-service that is dead from one that is slow, by health checks on connections that calls use, too. */
function watchIdentity(options: GrpcClientOptions & { readonly patienceMs: number }): Liveness {
  const pulse = createHealthClient(options);
  const liveness = createLiveness({
    probe: () => pulse.rpc.Check({ service: '' }, { deadlineMs: 1_000 }),
    isAnswer,
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
  const { gatekeeper, recheck, limiters } = openAccess(config, identity, registry, logger);
  await limiters.open();
  const usage = createUsageBook(maxUsageEntries);
  const requests = createRequestBook(requestRecords);
  const reporters = [
    startUsageReporter(identity.usage, usage, config.REPORT_INTERVAL_MS, logger),
    startRequestReporter(identity.usage, requests, config.REPORT_INTERVAL_MS, registry, logger),
  ];
  const upstreams = openUpstreams(config, tls, logger);
  registerUpstreamMetrics(registry, upstreams);
  const shedder = new LoadShedder();
  watchEventLoop(shedder);
  const app = createApp({
    logger,
    shedder,
    gatekeeper,
    recheck,
    unknownLimit: createUnknownLimit({
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
    resolveCaller: createCallerResolver(config.TRUSTED_PROXIES),
    upstreams,
    docs: readDocs(config.DOCS_DIR, config.PUBLIC_URL),
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
      maxConnections: upstreamPlaces,
    });
  const newQueue = () =>
    new FairQueue({
      places: upstreamPlaces,
      boundOf: placeBound,
      maxWaiting: 2_048,
      maxWaitMs: 2_000,
    });
  const secretProof = { 'x-gateway-secret': config.GATEWAY_SECRET };
  return {
    business: {
      agent: agentFor(config.BUSINESS_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'business-service',
      proofOf: ({ passport }) => ({ 'x-passport': passport }),
      keepsCredentials: false,
    },
    identity: {
      agent: agentFor(config.IDENTITY_HTTP_ORIGINS),
      queue: newQueue(),
      host: 'identity-service',
      proofOf: () => secretProof,
      keepsCredentials: true,
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
