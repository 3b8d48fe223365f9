import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { OlderDatabaseError } from './keep-log.ts';

/** Milliseconds between attempts to read the log. */
const everyMs = 500;

/**
 * Refuses a database that is older than the log of revocations. If the log cannot be read, for example because Redis is
 * unavailable, the service starts nevertheless: once it can be read, an older database ends the process.
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
    // An unhandled rejection makes the process drain and exit.
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
