import { expect } from '@jest/globals';
import pg from 'pg';
import { expectEventually } from './expect-eventually.ts';

/** Held locks, of a table or of what a statement locks: requests that need them stay in flight until they are released. */
export interface HeldLocks {
  /**
   * Number of connections that wait for these locks, directly or behind another connection. With a pattern, it counts only
   * statements that are LIKE it.
   */
  waiting(statement?: string): Promise<number>;
  /** Resolves when so many connections wait. */
  untilWaiting(count: number): Promise<unknown>;
  /** Changes what others see once the locks are released. */
  run(sql: string, values?: readonly unknown[]): Promise<void>;
  /** Releases them; a second call has no effect. */
  release(): Promise<void>;
}

/** Locks a table, against reads too or against writes alone: those of a service's loops then go on, and are not waited for. */
export function holdTable(
  url: string,
  table: string,
  against: 'everything' | 'writes' = 'everything',
): Promise<HeldLocks> {
  return holdLocks(
    url,
    `LOCK TABLE ${table} IN ${against === 'writes' ? 'EXCLUSIVE' : 'ACCESS EXCLUSIVE'} MODE`,
  );
}

/** Runs a statement in a transaction of its own; again where others took the same locks in another order (40P01). */
async function lock(client: pg.Client, statement: string, values: readonly unknown[]): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(statement, [...values]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error;
    await client.query('ROLLBACK');
    await lock(client, statement, values);
  }
}

/** Runs a statement, and holds the locks that it takes. */
export async function holdLocks(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<HeldLocks> {
  const client = new pg.Client({ connectionString: url });
  // A test that failed may leave it to the end of the cluster, which must not end the run.
  client.on('error', () => undefined);
  await client.connect();
  await lock(client, statement, values);
  const waiting = async (statement = '%') => {
    // A transaction sees the connections of its first read.
    await client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ waiting: number }>(
      `WITH RECURSIVE blocked AS (
         SELECT pid, query FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))
         UNION
         SELECT behind.pid, behind.query FROM pg_stat_activity behind
           JOIN blocked ON blocked.pid = ANY(pg_blocking_pids(behind.pid))
       )
       SELECT count(*)::int AS waiting FROM blocked WHERE query LIKE $1`,
      [statement],
    );
    return rows[0]?.waiting ?? 0;
  };
  return {
    waiting,
    untilWaiting: (count) =>
      expectEventually(async () => expect(await waiting()).toBe(count), { withinMs: 15_000 }),
    run: async (sql, values = []) => void (await client.query(sql, [...values])),
    // Ending the connection ends its transaction too, and with it the lock, when PostgreSQL does not respond.
    release: async () => {
      await client.query('COMMIT').catch(() => undefined);
      await client.end();
    },
  };
}
