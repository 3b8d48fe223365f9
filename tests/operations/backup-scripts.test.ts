import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createDatabase, openClient, query } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { runDirectory } from '../harness/run-directory.ts';

/* Scripts of deploy/backup where they must not go on: how a restore works is in restore.test.ts and point-in-time.test.ts. */

const backup = new URL('../../deploy/backup/', import.meta.url).pathname;
const directory = runDirectory().newDirectory('backup-scripts');

/** Runs a script, whose pauses take no time: each counts as 20 seconds. */
function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly err: string }> {
  const shell = join(directory, 'pauses.sh');
  writeFileSync(shell, 'sleep() { SECONDS=$((SECONDS + 20)); }\n');
  const { bin } = requirePostgresTools(process.env);
  const PATH = [bin, process.env.PATH].join(delimiter);
  const options = { env: { ...process.env, PATH, BASH_ENV: shell, ...env }, timeout: 20_000 };
  return new Promise((resolve) => {
    execFile('bash', [join(backup, script), ...args], options, (error, _out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), err });
    });
  });
}

/** A database with an owner, as that role; and as a role that owns nothing, as services run. */
async function newDatabase() {
  const admin = await createDatabase();
  const suffix = randomBytes(6).toString('hex');
  const [owner, runner] = ['owner', 'runner'].map((name) => {
    const url = new URL(admin);
    [url.username, url.password] = [`${name}_${suffix}`, 'hidden-word'];
    return url;
  }) as [URL, URL];
  for (const { username, password } of [owner, runner])
    await query(admin, `CREATE ROLE ${username} LOGIN PASSWORD '${password}'`);
  await query(admin, `ALTER DATABASE "${owner.pathname.slice(1)}" OWNER TO ${owner.username}`);
  return { owner: owner.href, runner };
}

test('a restore as the owner of a database detects a service that is still connected as another role', async () => {
  const { owner, runner } = await newDatabase();
  runner.searchParams.set('application_name', 'identity-service');
  const service = await openClient(runner.href);
  for (const name of ['identity', 'business']) writeFileSync(join(directory, `${name}.dump`), '');
  const urls = { IDENTITY_DATABASE_URL: owner, BUSINESS_DATABASE_URL: (await newDatabase()).owner };
  const { code, err } = await run('restore.sh', [directory], { ...urls, WEBHOOKS: '' });
  await service.end();
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /the database of identity is in use by .*identity-service.*: stop every service first/,
    ),
  ]);
});

test('a restore starts PostgreSQL where it does not run, and waits for the databases', async () => {
  const { owner } = await newDatabase();
  const started = join(directory, 'started');
  // As docker compose exec does without a container, and PostgreSQL while it starts.
  const compose = join(directory, 'late.sh');
  writeFileSync(
    compose,
    `[ -e '${started}' ] || { echo 'service "postgres" is not running' >&2; exit 1; }
if [ ! -s '${started}' ]; then echo x >'${started}'; echo 'FATAL: the database system is starting up' >&2; exit 2; fi
exec "$@"
`,
  );
  // Not a dump: the script has got as far as pg_restore.
  for (const name of ['identity', 'business']) writeFileSync(join(directory, `${name}.dump`), '');
  const { code, err } = await run('restore.sh', [directory], {
    RUN: `bash ${compose}`,
    START: `touch ${started}`,
    // A session that has just ended is waited for.
    BASH_ENV: '',
    IDENTITY_DATABASE_URL: owner,
    BUSINESS_DATABASE_URL: (await newDatabase()).owner,
    WEBHOOKS: '',
  });
  expect(err.split('\n')).toEqual([
    `PostgreSQL does not respond, and is started: touch ${started}`,
    'waiting for the database of identity: service "postgres" is not running',
    'waiting for the database of identity: FATAL: the database system is starting up',
    expect.stringContaining('pg_restore: error'),
    '',
  ]);
  expect(code).toBe(1);
});

test('a restore whose PostgreSQL does not start ends, and says where to look', async () => {
  const { code, err } = await run('restore.sh', [directory], { RUN: 'false', START: 'true', WEBHOOKS: '' });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('the database of identity does not respond: the log of PostgreSQL says why'),
  ]);
});

test('a recovery whose container does not run ends, and says where to look', async () => {
  const compose = join(directory, 'compose.sh');
  // As docker compose exec does.
  writeFileSync(compose, 'echo \'service "postgres" is not running\' >&2\nexit 1\n');
  const { code, err } = await run('end-recovery.sh', [], { RUN: `bash ${compose}` });
  expect([code, err]).toEqual([1, expect.stringContaining('PostgreSQL does not respond: its log says why')]);
});

test('a recovery whose container starts PostgreSQL again and again ends, and says where to look', async () => {
  const compose = join(directory, 'restarts.sh');
  const count = join(directory, 'looks');
  writeFileSync(count, '');
  // It refuses sessions at every second look, and does not run at the others.
  const looks = `printf x >>'${count}'; [ $(($(wc -c <'${count}') % 2)) = 1 ] || exit 1`;
  writeFileSync(compose, `${looks}\necho 'db:5432 - rejecting connections'\nexit 1\n`);
  const { code, err } = await run('end-recovery.sh', [], { RUN: `bash ${compose}` });
  expect([code, err]).toEqual([1, expect.stringContaining('PostgreSQL ends again and again')]);
});
