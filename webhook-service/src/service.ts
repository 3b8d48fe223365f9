import { resolve } from 'node:path';
import { callers } from '@platform/protos/callers';
import { checkHosts } from '@platform/service-kit/config/check-hosts.ts';
import { type Database, openDatabase } from '@platform/service-kit/database/database.ts';
import { migrate } from '@platform/service-kit/database/migrate.ts';
import { measureCertificates, watchGrpcTls } from '@platform/service-kit/grpc/certificates.ts';
import { startGrpcServer } from '@platform/service-kit/grpc/server.ts';
import { startOpsServer } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { createLogger, type Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { openTracer, type Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import { type AddressRules, checkEndpointUrl } from './addresses/url.ts';
import { createSender } from './attempts/http-attempt.ts';
import type { Config } from './config.ts';
import { createDeliveryService } from './deliveries/grpc.ts';
import { recoverAll } from './deliveries/operations.ts';
import { createTraceAttempt } from './deliveries/trace.ts';
import { createDeliveryWatcher } from './deliveries/watch.ts';
import { startWorker } from './deliveries/worker.ts';
import { createEndpointService } from './endpoints/grpc.ts';
import { startEndpointRemoval } from './endpoints/removal.ts';
import { startResealing } from './endpoints/reseal.ts';
import { startWarnings } from './endpoints/warning.ts';
import { startErasures } from './erasures/erasures.ts';
import { FeedReader } from './feed/reader.ts';
import { type Clients, createClients } from './grpc.ts';
import { createMetrics } from './metrics.ts';
import { openQueue, type TurnQueue } from './queue/queue.ts';
import { createReceiverCheckService } from './receiver-check/grpc.ts';
import { startRetention } from './retention/retention.ts';
import { createSigner } from './signing/signer.ts';
import { openStore, type Store } from './storage.ts';

const name = 'webhook-service';
const migrations = resolve(import.meta.dirname, '../prisma/migrations');
/** Milliseconds that running rpcs get when the service ends. */
const grpcGraceMs = 5_000;
/** Milliseconds from a claim to its attempt at most: it asks identity-service, and an older one is checked again. */
const claimMs = 10_000;

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly queue: TurnQueue;
  readonly clients: Clients;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  /** Closed in reverse order. */
  readonly resources: AsyncDisposableStack;
}

/** Migrates the database, then reads feeds, sends and serves gRPC until it is stopped. */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const registry = createRegistry(name);
  const tls = watchGrpcTls(config, logger);
  await checkHosts(config);
  measureCertificates(registry, tls);
  await migrate({ databaseUrl: config.DATABASE_URL, directory: migrations, logger });
  const resources = new AsyncDisposableStack();
  const tracer = openTracer({ service: name, config, registry, logger });
  resources.defer(() => tracer?.close());
  const database = openServiceDatabase(config, { logger, registry, tracer });
  const store = openStore(database);
  resources.defer(store.close);
  const queue = await openQueue({ url: config.DATABASE_URL, logger, now: Date.now });
  resources.defer(queue.stop);
  const clients = createClients({
    identityTarget: config.IDENTITY_GRPC_TARGET,
    businessTarget: config.BUSINESS_GRPC_TARGET,
    tls,
    keepaliveTimeoutMs: config.GRPC_KEEPALIVE_TIMEOUT_MS,
    registry,
  });
  resources.defer(clients.close);
  const parts = { config, store, queue, clients, logger, registry, tracer, resources };
  const grpc = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    tls,
    services: createServices(parts),
    callers,
    addedCallers: config.GRPC_CALLERS,
    logger,
    registry,
    tracer,
  });
  resources.defer(() => grpc.close(grpcGraceMs));
  await startWork(parts);
  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: [{ name: 'postgres', probe: database.probe }],
    drainDelayMs: config.DRAIN_DELAY_MS,
  });
  grpc.setServing(true);
  return {
    logger,
    ports: { grpc: grpc.port, ops: ops.port },
    stop: async () => {
      grpc.setServing(false);
      await ops.drain();
      await resources.disposeAsync();
      await ops.close();
    },
  };
}

function openServiceDatabase(
  config: Config,
  { logger, registry, tracer }: Pick<Parts, 'logger' | 'registry' | 'tracer'>,
): Database {
  return openDatabase({
    url: config.DATABASE_URL,
    applicationName: name,
    logger,
    registry,
    maxConnections: config.DATABASE_CONNECTIONS,
    waitLimitMs: config.DATABASE_WAIT_MS,
    tracer,
    // Makes PostgreSQL search an endpoint's latest deliveries in the index by endpoint. With few endpoints it chose the index
    // of all deliveries by time, and read all of it for an endpoint with few deliveries.
    settings: { enable_incremental_sort: 'off' },
  });
}

/** Addresses that may be dialed. */
function addressRules(config: Config): AddressRules {
  return {
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    allowedPorts: config.WEBHOOK_PORTS,
    allowsLoopback: config.MODE === 'local',
  };
}

function createServices({ config, store, queue, clients, logger, resources }: Parts) {
  const { endpoints, deliveries } = store;
  const rules = addressRules(config);
  const watcher = createDeliveryWatcher({ readVersions: endpoints.versions, logger });
  resources.defer(watcher.stop);
  // Separate from deliveries, so that checks do not wait for them and can have a shorter time limit.
  const checker = createSender({ rules, limitMs: config.CHECK_TIMEOUT_MS });
  resources.defer(checker.close);
  // Not awaited, because an error would hide that the change was made. The sweep finds endpoints that were not woken.
  const wake = async (endpointIds: readonly string[]) => {
    queue.wake(endpointIds).catch((err: unknown) => logger.warn({ err, endpointIds }, 'endpoints not woken'));
  };
  const shared = { endpoints, deliveries, wake, now: () => new Date() };
  return [
    createEndpointService({
      ...shared,
      logger,
      sealer: createSealer(config.ENCRYPTION_KEYS),
      checkUrl: (url) => checkEndpointUrl(url, rules),
    }),
    createDeliveryService(
      {
        ...shared,
        skip: store.claims.skip,
        databaseClock: store.claims.clock,
        recoverLater: async ({ recoveryId, endpointId, since }) =>
          queue.recover({
            recoveryId,
            endpointId,
            sinceMs: since.getTime(),
            untilMs: (await store.claims.clock()).getTime(),
          }),
      },
      watcher,
    ),
    createReceiverCheckService({
      ...store,
      now: shared.now,
      checkRecipients: clients.checkRecipients,
      sign: createSigner(createSealer(config.ENCRYPTION_KEYS)),
      send: checker.sendAttempt,
      slowMs: config.CHECK_SLOW_MS,
    }),
  ];
}

/** Starts background work: feeds, deliveries, recoveries, retention. */
async function startWork(parts: Parts): Promise<void> {
  const { config, store, queue, clients, logger, registry, resources } = parts;
  const sender = createSender({ rules: addressRules(config), limitMs: config.ATTEMPT_TIMEOUT_MS });
  resources.defer(sender.close);
  const never = new AbortController().signal;
  const metrics = createMetrics(registry, {
    turns: () => worker.running,
    feedsBehind: () => reader.behind,
  });
  const worker = startWorker({
    store,
    queue,
    checkRecipients: clients.checkRecipients,
    // Closing waits for attempts in flight, which end within ATTEMPT_TIMEOUT_MS.
    send: (url, headers, body) => sender.sendAttempt({ url, headers, body, signal: never }),
    traceAttempt: createTraceAttempt(parts.tracer),
    sign: createSigner(createSealer(config.ENCRYPTION_KEYS)),
    observe: metrics.attempt,
    logger,
    now: () => new Date(),
    maxTurns: config.WEBHOOK_TURNS,
  });
  const erasures = startErasures({
    erased: clients.erased,
    store: store.erasures,
    attemptMs: config.ATTEMPT_TIMEOUT_MS + claimMs,
    logger,
    everyMs: config.FEED_INTERVAL_MS,
  });
  const reader = new FeedReader({
    feed: clients.feed,
    store: store.feed,
    listSubscriptions: clients.listSubscriptions,
    wake: queue.wake,
    onErasure: erasures.wake,
    logger,
    listEveryMs: config.FEED_INTERVAL_MS,
  });
  const retention = startRetention({
    store: store.retention,
    metrics,
    logger,
    intervalMs: config.PURGE_INTERVAL_MS,
  });
  const warnings = startWarnings({
    store: store.warnings,
    warnOwners: clients.warnOwners,
    logger,
    intervalMs: config.ENDPOINT_INTERVAL_MS,
  });
  const removal = startEndpointRemoval({
    endpoints: store.endpoints,
    store: store.removals,
    findDeletedApplications: clients.findDeletedApplications,
    logger,
    intervalMs: config.ENDPOINT_INTERVAL_MS,
  });
  const resealing = startResealing({
    store: store.seals,
    sealer: createSealer(config.ENCRYPTION_KEYS),
    logger,
  });
  resources.defer(async () => {
    const loops = [retention, warnings, removal, resealing];
    await Promise.all([reader.stop(), erasures.stop(), worker.stop(), ...loops.map((loop) => loop.stop())]);
  });
  await queue.onRecovery(({ recoveryId, endpointId, sinceMs, untilMs }) =>
    recoverAll(
      { deliveries: store.deliveries, wake: queue.wake },
      { recoveryId, endpointId, since: new Date(sinceMs), until: new Date(untilMs) },
    ),
  );
}
