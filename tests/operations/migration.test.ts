import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { namedVariables } from '../harness/start-to-end.ts';

/** Runs the migration as the init container of deploy/kubernetes does. */
function migrate(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const args = ['--disable-warning=ExperimentalWarning', 'service-kit/src/migrate/main.ts'];
    const child = execFile(process.execPath, args, { env }, (_, out, err) =>
      resolve({ code: child.exitCode, output: out + err }),
    );
  });
}

test('two containers that migrate at once apply each migration once, with the URL from a file', async () => {
  const url = await createDatabase();
  const file = join(runDirectory().newDirectory('migration'), 'url');
  writeFileSync(file, `${url}\n`);
  const env = { SERVICE: 'webhook-service', DATABASE_URL_FILE: file };
  const ends = await Promise.all([migrate(env), migrate(env)]);
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  expect(ends.filter(({ output }) => output.includes('"applied":[]'))).toHaveLength(1);
  const [row] = await query<{ count: string }>(url, 'SELECT count(*) FROM _prisma_migrations');
  expect(Number(row?.count)).toBeGreaterThan(0);
});

test('a migration process exits after the last migration, even if the engine has timers left', async () => {
  const preload = join(runDirectory().newDirectory('migration'), 'long-timers.mjs');
  writeFileSync(
    preload,
    `const set = globalThis.setTimeout;
     globalThis.setTimeout = (work, ms, ...rest) => set(work, ms >= 10_000 ? 3_600_000 : ms, ...rest);`,
  );
  const env = { SERVICE: 'webhook-service', DATABASE_URL: await createDatabase() };
  const { code, output } = await migrate({ ...env, NODE_OPTIONS: `--import=${preload}` });
  expect(output).toContain('database is up to date');
  expect(code).toBe(0);
});

test('a process does not wait for the lock of another one when the database is up to date', async () => {
  const url = await createDatabase();
  const env = { SERVICE: 'webhook-service', DATABASE_URL: url };
  await migrate(env);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('SELECT pg_advisory_lock(72707369)');
  const { code, output } = await migrate(env);
  await other.end();
  expect(output).toContain('"applied":[]');
  expect(code).toBe(0);
});

test('a migration that failed before stops the process with its name', async () => {
  const url = await createDatabase();
  const env = { SERVICE: 'webhook-service', DATABASE_URL: url };
  await migrate(env);
  const last = '(SELECT max(migration_name) FROM _prisma_migrations)';
  const [failed] = await query<{ name: string }>(
    url,
    `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = ${last} RETURNING migration_name AS name`,
  );
  const { code, output } = await migrate(env);
  expect(code).toBe(1);
  expect(output).toContain(failed?.name);
});

test('invalid variables are named without their values', async () => {
  const { code, output } = await migrate({ SERVICE: '../etc', DATABASE_URL: 'mysql://root:hunter2@db/x' });
  expect(code).toBe(78);
  expect(namedVariables(output)).toEqual(['DATABASE_URL', 'SERVICE']);
  expect(output).not.toContain('hunter2');
});
