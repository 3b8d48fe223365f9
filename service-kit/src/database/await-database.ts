import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import { errorText } from '../values/error-text.ts';
import { Client } from './connection.ts';

/** Milliseconds of one attempt, and of the pause before the next. */
const attemptMs = 2_000;

const pauseMs = 500;

/**
 * Waits until PostgreSQL executes a query. Logs why it waits whenever the reason changes.
 * @throws Error that names the host, after `waitMs`
 */
export async function awaitDatabase(databaseUrl: string, waitMs: number, logger: Logger): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  let logged = '';
  for (;;) {
    try {
      await queryOnce(databaseUrl);
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw unreachable(databaseUrl, waitMs, error);
      const reason = errorText(error);
      if (reason !== logged) logger.warn({ reason }, 'waiting for the database');
      logged = reason;
      await delay(pauseMs);
    }
  }
}

async function queryOnce(databaseUrl: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: attemptMs,
    query_timeout: attemptMs,
  });
  // Handles errors of the connection while it is being closed.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

function unreachable(databaseUrl: string, waitMs: number, cause: unknown): Error {
  const { host } = new URL(databaseUrl);
  return new Error(`The database at ${host} did not respond within ${waitMs / 1000} s: ${errorText(cause)}`, {
    cause,
  });
}
