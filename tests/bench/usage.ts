import { query } from '../harness/postgres.ts';
import type { TestService } from '../harness/service.ts';
import { cpuMsOf } from './process-usage.ts';

/** Work so far, in a process and in a database. */
export interface Usage {
  /** Milliseconds of CPU of the process. */
  readonly cpuMs: number;
  /** Milliseconds of CPU of the database's connections. */
  readonly databaseCpuMs: number;
  /** Statements and transactions that PostgreSQL has committed. */
  readonly commits: number;
  /** Rows that PostgreSQL has inserted, updated and deleted. */
  readonly rows: number;
}

/** Work of a process and of its database so far. */
export async function usageOf({ pid, recipe }: TestService, databaseUrl: string): Promise<Usage> {
  const [counts] = await query(
    databaseUrl,
    `SELECT xact_commit::float8 AS commits, (tup_inserted + tup_updated + tup_deleted)::float8 AS rows
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const backends = await query(
    databaseUrl,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE $1`,
    [`${recipe().service}%`],
  );
  const databaseCpuMs = backends.reduce((sum, { pid: backend }) => sum + cpuMsOf(Number(backend)), 0);
  return { cpuMs: cpuMsOf(pid), databaseCpuMs, commits: Number(counts?.commits), rows: Number(counts?.rows) };
}

export function usageSince(before: Usage, after: Usage): Usage {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    databaseCpuMs: after.databaseCpuMs - before.databaseCpuMs,
    commits: after.commits - before.commits,
    rows: after.rows - before.rows,
  };
}
