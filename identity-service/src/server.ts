import { measureCertificates } from '@platform/service-kit/certificate-metrics.ts';
import { checkHosts } from '@platform/service-kit/check-hosts.ts';
import { startGrpcServer } from '@platform/service-kit/grpc-server.ts';
import { readGrpcTls } from '@platform/service-kit/grpc-tls.ts';
import { drainHttpServer } from '@platform/service-kit/http-drain.ts';
import { startHttpServer } from '@platform/service-kit/http-server.ts';
import { createLogger } from '@platform/service-kit/logger.ts';
import { createRegistry } from '@platform/service-kit/metrics.ts';
import { type ReadinessCheck, startOpsServer } from '@platform/service-kit/ops-server.ts';
import type { RedisClient } from '@platform/service-kit/redis-client.ts';
import type { RunningService } from '@platform/service-kit/run-service.ts';
import { createBackground } from './background.ts';
import { createBusinessLookup } from './business-lookup.ts';
import { createClosers } from './closers.ts';
import type { Config } from './config.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createPendingGauge } from './metrics/propagation-metrics.ts';
import { createTableMetrics } from './metrics/table-metrics.ts';
import { startPropagator } from './propagator.ts';
import { connectRedis } from './redis/connect-redis.ts';
import { createServices } from './services.ts';
import { openStorage, type Storage } from './storage.ts';
import { createGenerationStore } from './store/generation-store.ts';
import { createWeb } from './web.ts';

const service = 'identity-service';
/** Milliseconds that running calls get when the service ends. */
const callGraceMs = 10_000;

/** Starts identity-service. @throws when a port is taken or the database cannot be used */
export async function startService(config: Config): Promise<RunningService> {
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  const registry = createRegistry(service);
  const tls = readGrpcTls(config);
  await checkHosts(config);
  measureCertificates(registry, tls);
  const closers = createClosers();

  const storage = await openStorage(config, registry, logger, closers);
  const redis = config.REDIS_URL === undefined ? undefined : await connectRedis(config.REDIS_URL, logger);
  closers.add(() => redis?.disconnect());
  const background = createBackground(logger);
  closers.add(background.settle);
  const businesses = createBusinessLookup(config.BUSINESS_GRPC_TARGET, tls, registry);
  closers.add(businesses.close);
  const store = createGenerationStore(storage.database, storage.prisma);
  const pendingGauge = createPendingGauge(registry);
  const propagate = startPropagator({ redis, store, pendingGauge, logger }, closers);
  startHousekeeping(storage, createTableMetrics(registry), logger, closers);

  const ops = await startOpsServer({
    host: config.OPS_HOST,
    port: config.OPS_PORT,
    registry,
    checks: readinessChecks(storage, redis),
    drainDelayMs: config.DRAIN_DELAY_MS,
  });
  closers.add(ops.close);
  const grpc = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    tls,
    services: createServices({ config, storage, propagate, businesses, registry }),
    logger,
    registry,
  });
  const web = createWeb({ config, storage, registry, logger, background, propagate, businesses });
  const http = await startHttpServer(web, { host: config.HTTP_HOST, port: config.HTTP_PORT, tls });
  closers.add(() => Promise.all([drainHttpServer(http.server), grpc.close(callGraceMs)]));
  grpc.setServing(true);
  return {
    logger,
    ports: { http: http.port, grpc: grpc.port, ops: ops.port },
    stop: async () => {
      grpc.setServing(false);
      await ops.drain();
      await closers.closeAll();
    },
  };
}

function readinessChecks({ database }: Storage, redis: RedisClient | undefined): ReadinessCheck[] {
  const checks = [{ name: 'postgres', probe: database.probe }];
  return redis ? [...checks, { name: 'redis', probe: () => redis.ping() }] : checks;
}
