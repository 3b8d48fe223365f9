import { resolve } from 'node:path';
import { callers } from '@platform/protos/callers';
import { checkHosts } from '@platform/service-kit/config/check-hosts.ts';
import { openDatabase } from '@platform/service-kit/database/database.ts';
import { prepareDatabase } from '@platform/service-kit/database/migrate.ts';
import { Notifications } from '@platform/service-kit/database/notifications.ts';
import { measureCertificates, watchGrpcTls } from '@platform/service-kit/grpc/certificates.ts';
import { startGrpcServer } from '@platform/service-kit/grpc/server.ts';
import { drainHttpServer, startHttpServer } from '@platform/service-kit/http/server.ts';
import { startOpsServer } from '@platform/service-kit/process/ops-server.ts';
import type { RunningService } from '@platform/service-kit/process/run-service.ts';
import { createLogger, type Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { openTracer, type Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import { createBusinessService } from './businesses/grpc.ts';
import type { Config } from './config.ts';
import { createCustomerService } from './customers/grpc.ts';
import { createFeedChanges, type FeedChanges } from './events/changes.ts';
import { createEventFeedService } from './events/grpc.ts';
import { createApp } from './http.ts';
import { createPassportVerifier } from './passport.ts';
import { startRetention } from './retention.ts';
import { createSandboxService } from './sandboxes/grpc.ts';
import { openStore } from './storage.ts';

const name = 'business-service';
const migrations = resolve(import.meta.dirname, '../prisma/migrations');
/** Milliseconds that running rpcs get when the service ends. */
const grpcGraceMs = 10_000;

interface StoreDeps {
  readonly logger: Logger;
  readonly registry: Registry;
  readonly tracer: Tracer | undefined;
}

/** Opens the database, the announcements of other replicas and the stores. */
function openServiceStore(config: Config, { logger, registry, tracer }: StoreDeps, changes: FeedChanges) {
  const database = openDatabase({
    url: config.DATABASE_URL,
    pooling: config.DATABASE_POOLING,
    applicationName: name,
    logger,
    registry,
    maxConnections: config.DATABASE_CONNECTIONS,
    waitLimitMs: config.DATABASE_WAIT_MS,
    tracer,
  });
  const notifications = listenForChanges(config, changes, logger);
  const announce = (businessId: number) => notifications.publish(String(businessId));
  const store = openStore(database, announce, config.EVENT_RETENTION_DAYS);
  return { database, notifications, store };
}

/** Migrates the database, then serves HTTP, gRPC and operations until it is stopped. */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const registry = createRegistry(name);
  const tls = watchGrpcTls(config, logger);
  await checkHosts(config);
  measureCertificates(registry, tls);
  await prepareDatabase(config, migrations, logger);
  const resources = new AsyncDisposableStack();
  const tracer = openTracer({ service: name, config, registry, logger });
  resources.defer(() => tracer?.close());
  const changes = createFeedChanges();
  const { database, notifications, store } = openServiceStore(config, { logger, registry, tracer }, changes);
  const { businesses, customers, events } = store;

  resources.defer(store.close);
  resources.defer(() => notifications.close());
  const retention = startRetention({ store, logger, registry, intervalMs: config.PURGE_INTERVAL_MS });
  const verifyPassport = createPassportVerifier(config.PASSPORT_PUBLIC_KEYS);
  const stopping = new AbortController();
  const filling = businesses
    .fillNameKeys(stopping.signal)
    .catch((error: unknown) => logger.warn({ err: error }, 'name keys are not complete: next start'));
  const app = createApp({
    ...store,
    changes,
    stopping: stopping.signal,
    verifyPassport,
    tracer,
    logger,
    registry,
    now: () => new Date(),
  });
  const http = await startHttpServer(app, { host: config.HTTP_HOST, port: config.HTTP_PORT, tls });
  const grpc = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    tls,
    services: [
      createBusinessService(businesses),
      createCustomerService({ businesses, customers, logger }),
      createEventFeedService({ events, changes }),
      createSandboxService(store),
    ],
    callers,
    addedCallers: config.GRPC_CALLERS,
    logger,
    registry,
    tracer,
  });
  resources.defer(async () => {
    stopping.abort();
    await Promise.all([drainHttpServer(http.server), grpc.close(grpcGraceMs), retention.stop(), filling]);
  });
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
    ports: { http: http.port, grpc: grpc.port, ops: ops.port },
    stop: async () => {
      grpc.setServing(false);
      await ops.drain();
      await resources.disposeAsync();
      await ops.close();
    },
  };
}

function listenForChanges(config: Config, changes: FeedChanges, logger: Logger): Notifications {
  return new Notifications({
    url: config.LISTEN_DATABASE_URL ?? config.DATABASE_URL,
    applicationName: `${name} notifications`,
    channel: 'feed_changes',
    logger,
    onMessage: (businessId) => changes.changed(Number(businessId)),
    onGap: changes.missed,
  });
}
