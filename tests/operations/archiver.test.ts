import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type IdentityPlatform, startIdentityPlatform } from '../harness/identity-platform.ts';
import { metricOf } from '../harness/metrics.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';

/* The alarm of operators for an archive of PostgreSQL's log that takes no more of it. */

const within = { withinMs: 10_000 };

/** A file without which nothing is archived. */
let mark: string;
let postgres: TestPostgres;
let platform: IdentityPlatform;
beforeAll(async () => {
  mark = join(runDirectory().newDirectory('archive'), 'mounted');
  postgres = await startPostgres({ archive_mode: 'on', archive_command: `test -e ${mark}` });
  platform = await startIdentityPlatform({ createDatabase: postgres.createDatabase });
});
afterAll(async () => {
  await platform?.close();
  await postgres?.close();
});

/** Ends segments of the log until PostgreSQL has tried to archive one with this result. */
const untilArchiver = (count: 'failed_count' | 'archived_count') =>
  expectEventually(async () => {
    await platform.sql("SELECT pg_logical_emit_message(false, 'test', 'more'), pg_switch_wal()");
    const [row] = await platform.sql<Record<typeof count, string>>(`SELECT ${count} FROM pg_stat_archiver`);
    expect(Number(row?.[count])).toBeGreaterThan(0);
  }, within);

/** Metric of a service whose first round has passed: the next one is a minute later. */
async function measuredAnew(): Promise<number | undefined> {
  const [replica] = platform.replicas;
  await replica?.stop();
  await replica?.start();
  await expectEventually(async () => {
    expect(await metricOf(replica, 'identity_table_bytes', { table: 'people' })).toBeGreaterThan(0);
  }, within);
  return metricOf(replica, 'identity_archiver_failing', {});
}

test('a PostgreSQL that cannot archive its log is reported, until it can', async () => {
  await untilArchiver('failed_count');
  expect(await measuredAnew()).toBe(1);
  writeFileSync(mark, '');
  await untilArchiver('archived_count');
  expect(await measuredAnew()).toBe(0);
});
