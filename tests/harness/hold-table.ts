import pg from 'pg';

/** A locked table: requests that need it stay in flight until it is released. */
export interface HeldTable {
  /** Number of connections that wait for a lock in this database. */
  waiting(): Promise<number>;
  /** Releases the table; a second call has no effect. */
  release(): Promise<void>;
}

/** Takes an exclusive lock on a table. */
export async function holdTable(url: string, table: string): Promise<HeldTable> {
  const client = new pg.Client({ connectionString: url });
  // A test that failed may leave it to the end of the cluster, which must not end the run.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    waiting: async () => {
      // A transaction sees the connections of its first read.
      await client.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await client.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.waiting ?? 0;
    },
    // Ending the connection ends its transaction, and with it the lock.
    release: () => client.end(),
  };
}
