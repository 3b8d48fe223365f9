import { startLoop } from '@platform/service-kit/process/loop.ts';
import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { createLogBuffer } from '../log-buffer.ts';
import type { RequestRecord, UnlistedRequests } from '../request-log.ts';
import type { ClickHouse } from './client.ts';
import type { LogMetrics } from './log-metrics.ts';
import { insertRecords } from './log-store.ts';
import { createTables } from './tables-store.ts';

/** Requests that wait at most: some 50 MB. */
const maxWaiting = 50_000;

/** Requests of one INSERT. */
const batchSize = 10_000;

/** Milliseconds between two rounds: ClickHouse wants few large INSERTs. */
const roundMs = 1_000;

/** Milliseconds for one INSERT. */
const writeLimitMs = 10_000;

/** Milliseconds that the end of the process waits for the last ones. */
const closeLimitMs = 3_000;

/** Milliseconds between log lines about failures: one line counts them. */
const logEveryMs = 60_000;

interface LogWriterDeps {
  readonly clickHouse: ClickHouse;
  /** Stores how many requests are not listed. */
  readonly addUnlisted: (unlisted: readonly UnlistedRequests[]) => Promise<void>;
  readonly metrics: LogMetrics;
  readonly logger: Logger;
}

/**
 * Writes what is added in the background, each second. What waited when `resources` are disposed of is written, for three
 * seconds at most; the rest is counted as not listed.
 */
export function startLogWriter(deps: LogWriterDeps, resources: AsyncDisposableStack) {
  const { clickHouse, addUnlisted, metrics, logger } = deps;
  const buffer = createLogBuffer(maxWaiting, metrics.dropped);
  let hasTables = false;
  const logFailure = logRarely(logEveryMs, (failures, err: unknown) =>
    logger.warn({ err, failures }, 'ClickHouse does not take requests for the log'),
  );

  async function writeAll(stopped: AbortSignal): Promise<void> {
    const limited = () => AbortSignal.any([stopped, AbortSignal.timeout(writeLimitMs)]);
    if (!hasTables) await createTables(clickHouse, limited());
    hasTables = true;
    for (;;) {
      const records = buffer.first(batchSize);
      if (records.length === 0) return;
      await insertRecords(clickHouse, records, limited());
      buffer.remove(records.length);
      metrics.written(records.length);
    }
  }

  async function tryWrite(stopped: AbortSignal): Promise<void> {
    try {
      await writeAll(stopped);
    } catch (error) {
      // It may have been replaced by an empty one.
      hasTables = false;
      metrics.failed();
      logFailure(error);
    }
    metrics.waiting(buffer.size());
  }

  async function countUnlisted(): Promise<void> {
    const unlisted = buffer.takeUnlisted();
    if (unlisted.length === 0) return;
    await addUnlisted(unlisted).catch((error: unknown) => {
      buffer.putBack(unlisted);
      throw error;
    });
  }

  const loops = [
    startLoop({ name: 'request log', everyMs: roundMs, round: tryWrite, logger }),
    startLoop({ name: 'unlisted requests', everyMs: roundMs, round: countUnlisted, logger }),
  ];
  resources.defer(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await tryWrite(AbortSignal.timeout(closeLimitMs));
    buffer.giveUp();
    await countUnlisted().catch((err: unknown) => logger.warn({ err }, 'requests were not counted'));
  });

  return {
    add: (records: readonly RequestRecord[]): void => {
      buffer.add(records);
      metrics.waiting(buffer.size());
    },
  };
}
