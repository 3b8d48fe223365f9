import { callers } from '@platform/protos/callers';
import { checkHosts } from '@platform/service-kit/config/check-hosts.ts';
import { measureCertificates, watchGrpcTls } from '@platform/service-kit/grpc/certificates.ts';
import { sentRpcs } from '@platform/service-kit/grpc/metrics.ts';
import { startGrpcServer } from '@platform/service-kit/grpc/server.ts';
import { drainHttpServer, startHttpServer } from '@platform/service-kit/http/server.ts';
import { type ReadinessCheck, startOpsServer } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import type { RedisClient } from '@platform/service-kit/redis/redis.ts';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { openTracer } from '@platform/service-kit/telemetry/tracer.ts';
import { createActs } from './acts.ts';
import { startOutbox } from './audit/events/outbox.ts';
import { startNoticeEmails } from './audit/notices/emails.ts';
import { startSandboxRounds } from './businesses/sandboxes/rounds.ts';
import { createBusinessLookup } from './clients/business-client.ts';
import { createWebhookClient } from './clients/webhook.ts';
import type { Config } from './config.ts';
import { startExpiryNotices } from './credentials/api-keys/expiry-notices.ts';
import { startBanWatch } from './credentials/applications/publisher-bans.ts';
import { createServices } from './grpc.ts';
import { createDatabaseMetrics, startHousekeeping } from './housekeeping/retention.ts';
import { createWeb } from './http.ts';
import type { AccountsDeps } from './http-accounts.ts';
import { findUndoLink } from './people/email-change/email-change.ts';
import { createBackground } from './platform/background.ts';
import {
  connectRedis,
  createPropagationMetrics,
  startPropagator,
} from './platform/credential-generations.ts';
import { apiScopesOf } from './platform/scope.ts';
import { openStorage, type Storage } from './platform/storage.ts';
import { checkNotOlder, startRevocationLog } from './restore/keep-log.ts';
import { createRevocationLog } from './restore/log.ts';
import { refuseOlderDatabase } from './restore/older-database.ts';
import { createRestoreStore } from './restore/store.ts';
import { openStores, type Stores } from './stores.ts';
import { createLogMetrics } from './traffic/clickhouse/log-metrics.ts';
import { startClickHouseLog } from './traffic/clickhouse/request-log.ts';
import { startOAuthCallLog } from './traffic/oauth-calls.ts';
import { createEventStreams } from './web/dashboard-api/event-streams.ts';

const service = 'identity-service';

/**
 * Event streams of dashboard pages. Each holds one of the gateway's 512 slots; a browser holds one per visible tab. A logout
 * or a lost role ends a stream at its next recheck.
 */
const streamLimits = { max: 100, maxPerPerson: 6, recheckMs: 3_000 };

/** Milliseconds that running calls get when the service ends. */
const callGraceMs = 10_000;

/** Starts what runs beside requests, until `resources` are disposed of. */
function startLoops(deps: AccountsDeps, resources: AsyncDisposableStack): void {
  const { config, businesses, registry, logger } = deps;
  const { appendEvents, listBanChanges } = businesses;
  startOutbox({ outbox: deps.outbox, appendEvents, registry, logger }, resources);
  startExpiryNotices(deps, resources);
  startSandboxRounds(deps, resources);
  startBanWatch({ ...deps, listBanChanges }, logger, resources);
  const findLink = (id: string) => findUndoLink(deps, config.PUBLIC_URL, id);
  startNoticeEmails({ ...deps, findUndoLink: findLink }, resources);
  const metrics = createDatabaseMetrics(registry);
  const { PURGE_INTERVAL_MS: intervalMs, REQUEST_LOG_PER_BUSINESS: requestsKept } = config;
  startHousekeeping({ ...deps, metrics, intervalMs, requestsKept }, resources);
}

/** Starts identity-service. @throws when a port is taken or the database cannot be used */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  const registry = createRegistry(service);
  const tls = watchGrpcTls(config, logger);
  await checkHosts(config);
  measureCertificates(registry, tls);
  const resources = new AsyncDisposableStack();
  const tracer = openTracer({ service, config, registry, logger });
  resources.defer(() => tracer?.close());
  const storage = await openStorage(config, { registry, logger, tracer }, resources);
  const limitMs = config.PROPAGATION_TIMEOUT_MS;
  const redis =
    config.REDIS_URL === undefined ? undefined : await connectRedis(config.REDIS_URL, limitMs, logger);
  resources.defer(() => redis?.disconnect());
  await keepRevocations({ storage, redis, logger }, resources);
  const background = createBackground(logger, registry);
  resources.defer(background.settle);
  const observe = sentRpcs(registry);
  const calls = {
    tls,
    observe,
    deadlineMs: config.SERVICE_TIMEOUT_MS,
    keepaliveTimeoutMs: config.GRPC_KEEPALIVE_TIMEOUT_MS,
  };
  const businesses = createBusinessLookup({ ...calls, target: config.BUSINESS_GRPC_TARGET });
  resources.defer(businesses.close);
  const webhooks = createWebhookClient(config.WEBHOOK_GRPC_TARGET, calls);
  resources.defer(() => webhooks?.close());
  const opened = openStores(storage, apiScopesOf(config.API_DIR));
  const stores = withRequestLog(opened, { config, storage, registry, logger }, resources);
  const { generations: store } = stores;
  const metrics = createPropagationMetrics(registry);
  const propagate = startPropagator({ redis, limitMs, store, metrics, logger }, resources);
  const acts = createActs({ config, stores, propagate, businesses, webhooks, background, logger });
  const sealer = createSealer(config.ENCRYPTION_KEYS);
  const parts = { ...acts, webhooks, config, storage, sealer, registry };
  startLoops(parts, resources);

  const oauthLog = startOAuthCallLog({ ...stores, registry, logger }, resources);
  const grpc = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    tls,
    services: createServices({ ...parts, oauthLog }),
    callers,
    addedCallers: config.GRPC_CALLERS,
    confinedCallers: new Map([['canary', config.CANARY_BUSINESS_ID]]),
    logger,
    registry,
    tracer,
  });
  const streams = createEventStreams({ ...streamLimits, logger });
  const web = createWeb({ ...parts, streams, tracer, oauthLog });
  const http = await startHttpServer(web, { host: config.HTTP_HOST, port: config.HTTP_PORT, tls });
  resources.defer(async () => {
    streams.close();
    await Promise.all([drainHttpServer(http.server), grpc.close(callGraceMs)]);
  });
  // Last: while /readyz says 200, every port is open.
  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: readinessChecks(storage, redis),
    drainDelayMs: config.DRAIN_DELAY_MS,
  });
  grpc.setServing(true);
  return {
    logger,
    ports: { http: http.port, grpc: grpc.port, ops: ops.port },
    stop: async () => {
      grpc.setServing(false);
      await ops.drain();
      await resources.disposeAsync();
      await ops.close();
    },
  };
}

/** The stores, with the log of requests in ClickHouse if it is configured there. */
function withRequestLog(
  stores: Stores,
  { config, storage, registry, logger }: Pick<AccountsDeps, 'config' | 'storage' | 'registry' | 'logger'>,
  resources: AsyncDisposableStack,
): Stores {
  const metrics = createLogMetrics(registry);
  const { REQUEST_LOG_URL: address, PURGE_INTERVAL_MS: purgeIntervalMs } = config;
  if (address === undefined) return stores;
  const deps = {
    address,
    storage,
    counted: stores.requests,
    metrics,
    logger,
    purgeIntervalMs,
    now: Date.now,
  };
  return { ...stores, requests: startClickHouseLog(deps, resources) };
}

/** Keeps the log of revocations. @throws OlderDatabaseError when the database was restored without it */
async function keepRevocations(
  {
    storage: { database, prisma },
    redis,
    logger,
  }: Pick<AccountsDeps, 'storage' | 'logger'> & { readonly redis: RedisClient | undefined },
  resources: AsyncDisposableStack,
): Promise<void> {
  if (redis === undefined) return;
  const deps = { log: createRevocationLog(redis), store: createRestoreStore(database, prisma) };
  await refuseOlderDatabase(() => checkNotOlder(deps), logger, resources);
  startRevocationLog(deps, logger, resources);
}

/** Redis does not affect readiness: without it revocations are pending, and gateways fetch again within 30 s. */
function readinessChecks({ database }: Storage, redis: RedisClient | undefined): ReadinessCheck[] {
  const postgres = { name: 'postgres', probe: database.probe };
  if (redis === undefined) return [postgres];
  return [postgres, { name: 'redis', probe: () => redis.ping(), needed: 'never' }];
}
