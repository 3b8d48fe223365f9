import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { OlderDatabaseError } from './keep-log.ts';

/** Milliseconds between two looks at a log that could not be read. */
const everyMs = 500;

/**
 * Refuses a database that is older than the log of revocations. A log that cannot be read, as while Redis is lost, holds up no
 * start: the first look that succeeds decides, and an older database ends the process then.
 * @param check rejects with OlderDatabaseError, or because it cannot know
 * @throws OlderDatabaseError
 */
export async function refuseOlderDatabase(
  check: () => Promise<void>,
  logger: Logger,
  resources: AsyncDisposableStack,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof OlderDatabaseError) throw error;
    logger.warn({ err: error }, 'log of revocations not read');
    const ended = new AbortController();
    resources.defer(() => ended.abort());
    // Its rejection is an exception outside of requests: the process drains and ends.
    void checkLater(check, ended.signal);
  }
}

async function checkLater(check: () => Promise<void>, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await setTimeout(everyMs, undefined, { ref: false });
    try {
      return await check();
    } catch (error) {
      if (error instanceof OlderDatabaseError) throw error;
    }
  }
}
