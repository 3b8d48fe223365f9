import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Storage } from '../../platform/storage.ts';
import { addBesideRecords, addUnlisted } from '../postgres-log-store.ts';
import type { RequestLog } from '../request-log.ts';
import { type ClickHouseAddress, createClickHouse } from './client.ts';
import { createDemandReader } from './demand-store.ts';
import type { LogMetrics } from './log-metrics.ts';
import { createClickHouseReader } from './log-store.ts';
import { startLogWriter } from './log-writer.ts';
import { dropOldDays } from './tables-store.ts';

interface LogDeps {
  readonly address: ClickHouseAddress;
  readonly storage: Pick<Storage, 'database' | 'prisma'>;
  /** Of PostgreSQL, which counts what is not listed. */
  readonly counted: Pick<RequestLog, 'unlisted' | 'coverage'>;
  readonly metrics: LogMetrics;
  readonly logger: Logger;
  /** Milliseconds between two looks for days that have passed. */
  readonly purgeIntervalMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A log in ClickHouse. No request waits for it: added ones are held in memory, and counted as not listed where there is no room. */
export function startClickHouseLog(deps: LogDeps, resources: AsyncDisposableStack): RequestLog {
  const { storage, metrics, logger, now } = deps;
  const { database, prisma } = storage;
  const clickHouse = createClickHouse(deps.address);
  const writer = startLogWriter(
    { clickHouse, addUnlisted: (requests) => addUnlisted(database, prisma, requests), metrics, logger },
    resources,
  );
  const dropping = startLoop({
    name: 'days of the request log',
    everyMs: deps.purgeIntervalMs,
    round: async (signal) => {
      const dropped = await dropOldDays(clickHouse, now(), signal);
      if (dropped > 0) logger.info({ dropped }, 'days of the request log dropped');
    },
    logger,
  });
  resources.defer(dropping.stop);
  const { demands, firstAt } = createDemandReader(clickHouse);
  return {
    ...createClickHouseReader(clickHouse),
    demands,
    coverage: async (businessIds, span) => {
      const [{ missedMinutes }, since] = await Promise.all([
        deps.counted.coverage(businessIds, span),
        firstAt(businessIds),
      ]);
      return { since, missedMinutes };
    },
    unlisted: deps.counted.unlisted,
    add: async (batch) => {
      await addBesideRecords(database, prisma, batch);
      // The clock of a gateway may be wrong.
      const receivedAt = now();
      writer.add(batch.records.map((record) => ({ ...record, at: Math.min(record.at, receivedAt) })));
    },
  };
}
