import { AppError } from '@platform/service-kit/app-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';

/** Sends what requests leave behind to identity-service. */
export interface Reporter {
  /** Sends what is left and ends. */
  stop(): Promise<void>;
}

export interface ReporterOptions<Batch> {
  /** What is reported, in the log. */
  readonly name: string;
  /** The next batch; undefined when there is nothing to report. */
  readonly take: () => Batch | undefined;
  /** Sending a batch twice is the same as once. */
  readonly send: (batch: Batch) => Promise<unknown>;
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Batches of one round: what piled up is worked off over several. */
const maxBatches = 5;

/**
 * Reports from time to time. A batch that failed is sent again as it was; only one that identity-service will never take
 * is given up.
 */
export function startReporter<Batch>({
  name,
  take,
  send,
  everyMs,
  logger,
}: ReporterOptions<Batch>): Reporter {
  let pending: Batch | undefined;
  let sending = Promise.resolve();

  /** Whether there may be more. */
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
      logger.warn({ err: error, report: name, isLost }, 'a report did not arrive');
      return false;
    }
  }

  async function report(): Promise<void> {
    for (let batch = 0; batch < maxBatches && (await reportOne()); batch++);
  }

  const timer = setInterval(() => {
    sending = sending.then(report);
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sending;
      await report();
    },
  };
}
