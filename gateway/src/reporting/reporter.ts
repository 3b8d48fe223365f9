import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Counter } from '@platform/service-kit/telemetry/metrics.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Sends batches to identity-service periodically. */
export interface Reporter {
  /** Sends the rest and stops. */
  stop(): Promise<void>;
}

interface ReporterOptions<Batch> {
  /** Name in the log. */
  readonly name: string;
  /** The next batch; undefined when there is none. */
  readonly take: () => Batch | undefined;
  /** Must be idempotent. */
  readonly send: (batch: Batch) => Promise<unknown>;
  /** Records dropped by the buffer since the last call. */
  readonly takeDroppedCount: () => number;
  /** Counts them. */
  readonly dropped: Counter;
  readonly everyMs: number;
  /** Batches per round: a backlog is spread over several. */
  readonly maxBatches: number;
  readonly logger: Logger;
}

/** Milliseconds for what is left at the end. */
const stopLimitMs = 3_000;

/**
 * Starts to report every `everyMs` milliseconds. A failed batch is sent again unchanged; it is dropped only when
 * identity-service rejects it as invalid.
 */
export function startReporter<Batch>(options: ReporterOptions<Batch>): Reporter {
  const { name, take, send, everyMs, maxBatches, logger } = options;
  let pending: Batch | undefined;

  /** Whether there may be another batch. */
  async function reportOne(): Promise<boolean> {
    pending ??= take();
    if (pending === undefined) return false;
    try {
      await send(pending);
      pending = undefined;
      return true;
    } catch (error) {
      const isLost = error instanceof AppError && error.kind === 'invalid_argument';
      if (isLost) pending = undefined;
      logger.warn({ err: error, report: name, isLost }, 'a report was not delivered');
      return false;
    }
  }

  async function report(): Promise<void> {
    countDropped(options);
    for (let batch = 0; batch < maxBatches && (await reportOne()); batch++);
  }

  const loop = startLoop({ name, everyMs, firstAfterMs: everyMs, round: report, logger });
  return {
    stop: async () => {
      await loop.stop();
      countDropped(options);
      const endsAt = performance.now() + stopLimitMs;
      while (performance.now() < endsAt && (await reportOne()));
    },
  };
}

function countDropped({
  name,
  takeDroppedCount,
  dropped,
  logger,
}: Omit<ReporterOptions<unknown>, 'take' | 'send'>): void {
  const count = takeDroppedCount();
  if (count === 0) return;
  dropped.inc(count);
  logger.warn({ report: name, count }, 'records were dropped');
}
