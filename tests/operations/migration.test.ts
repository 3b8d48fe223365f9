import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
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

test('a database is made once by two containers at once, from a URL in a file', async () => {
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

test('an environment that is not valid is named, and its values are not', async () => {
  const { code, output } = await migrate({ SERVICE: '../etc', DATABASE_URL: 'mysql://root:hunter2@db/x' });
  expect(code).toBe(78);
  expect(namedVariables(output)).toEqual(['DATABASE_URL', 'SERVICE']);
  expect(output).not.toContain('hunter2');
});
