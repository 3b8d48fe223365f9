import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { query, startPostgres } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';

/* databases.sh, which makes the databases and roles of docker-compose.yml and of overlays/local, on a PostgreSQL of its own. */

const tools = requirePostgresTools(process.env);
const script = new URL('../../deploy/docker/databases.sh', import.meta.url).pathname;
const roles = ['identity', 'identity_runner', 'business', 'business_runner', 'webhook'];

const postgres = running(() => startPostgres({}, tools));
let admin: URL;
beforeAll(async () => {
  admin = new URL(await postgres.createDatabase());
});

test('every role logs in with its password, which is in no argument of a process', async () => {
  const directory = runDirectory().newDirectory('databases-script');
  const seen = join(directory, 'arguments');
  // Programs that the script starts are found here first; their arguments are in every list of processes.
  for (const name of ['psql', 'printenv', 'cat', 'tr', 'env', 'sh']) {
    const real = spawnSync('sh', ['-c', `command -v ${name}`], {
      encoding: 'utf8',
      env: { PATH: `${tools.bin}${delimiter}${process.env.PATH}` },
    }).stdout.trim();
    const lines = ['#!/bin/sh', `echo "$0 $*" >>'${seen}'`, `exec ${real} "$@"`];
    writeFileSync(join(directory, name), `${lines.join('\n')}\n`, { mode: 0o755 });
  }
  const passwordOf = (role: string) => `it's-the-"word"-of-${role}`;
  const names = {
    IDENTITY_DATABASE_PASSWORD: passwordOf('identity'),
    IDENTITY_RUNNER_PASSWORD: passwordOf('identity_runner'),
    BUSINESS_DATABASE_PASSWORD: passwordOf('business'),
    BUSINESS_RUNNER_PASSWORD: passwordOf('business_runner'),
    WEBHOOK_DATABASE_PASSWORD: passwordOf('webhook'),
  };
  const env = {
    ...names,
    PATH: [directory, tools.bin, process.env.PATH].join(delimiter),
    POSTGRES_USER: admin.username,
    PGPASSWORD: admin.password,
    PGHOST: admin.hostname,
    PGPORT: admin.port,
  };
  // Again, as after an upgrade: what exists stays.
  for (let run = 0; run < 2; run++) {
    const { status, stderr } = spawnSync('/bin/sh', [script], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([0, '']);
  }
  for (const role of roles) {
    const url = new URL(admin);
    url.username = role;
    url.password = passwordOf(role);
    url.pathname = role.replace('_runner', '');
    expect(await query(url.href, 'SELECT current_user AS role')).toEqual([{ role }]);
  }
  const all = readFileSync(seen, 'utf8');
  expect(all).toContain('/psql -q');
  expect(all).not.toContain('-the-"word"-of-');
});
