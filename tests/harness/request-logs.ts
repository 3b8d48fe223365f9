import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import type { TestClickHouse } from './clickhouse.ts';
import type { RequestLog } from './identity-program.ts';
import { importIdentityProgram } from './import-once.ts';
import { createDatabase } from './postgres.ts';

/** A log of requests in the process of the test, over a database of its own. */
export interface TestLog extends RequestLog {
  /** Of its database in PostgreSQL. */
  readonly database: string;
  /** Of its ClickHouse; empty without one. */
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the log of identity-service in PostgreSQL or, if one is given, in ClickHouse. */
export async function openRequestLog(clickHouse?: TestClickHouse): Promise<TestLog> {
  const { openPrepared, createPostgresLog, startClickHouseLog, createLogMetrics, clickHouseAddress } =
    await importIdentityProgram();
  const resources = new AsyncDisposableStack();
  const registry = createRegistry('test');
  const logger = createLogger({ service: 'test', level: 'silent' });
  const database = await createDatabase('identity-service');
  const config = {
    DATABASE_URL: database,
    DATABASE_POOLING: 'session',
  } as const;
  const as = { applicationName: 'test', maxConnections: 4, waitLimitMs: 20_000 };
  const storage = openPrepared(config, as, { registry, logger, tracer: undefined }, resources);
  const log = { ...createPostgresLog(storage.database, storage.prisma), database };
  const close = () => resources.disposeAsync();
  if (clickHouse === undefined) return { ...log, url: '', close };
  const url = await clickHouse.createDatabase();
  const address = clickHouseAddress.parse(url);
  const metrics = createLogMetrics(registry);
  const deps = { address, storage, counted: log, metrics, logger, purgeIntervalMs: 1_000, now: Date.now };
  return { ...startClickHouseLog(deps, resources), database, url, close };
}
