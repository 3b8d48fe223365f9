import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { unprivileged } from '../../deploy/local/postgres.ts';
import { startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { findProgram, installPackages } from '../../deploy/local/process/install-packages.ts';
import { runDirectory } from './run-directory.ts';

interface PgBouncer {
  /** The URL of the same database and role, through the pooler. */
  pooled(databaseUrl: string): string;
  close(): Promise<unknown>;
}

interface PgBouncerOptions {
  /** A database of the PostgreSQL behind it. */
  readonly databaseUrl: string;
  /** Passwords by role. */
  readonly passwords: Readonly<Record<string, string>>;
  /** Connections to PostgreSQL per database and role. */
  readonly poolSize: number;
}

/** Starts PgBouncer in transaction mode, with the defaults of its package for everything else. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { databaseUrl, passwords, poolSize } = options;
  const { newDirectory, newLogFile, records } = runDirectory();
  const directory = newDirectory('pgbouncer');
  const port = await freePort();
  const users = Object.entries(passwords).map(([role, password]) => `"${role}" "${password}"\n`);
  writeFileSync(join(directory, 'users.txt'), users.join(''));
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(directory, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: poolSize,
  };
  const file = join(directory, 'pgbouncer.ini');
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const { port: server } = new URL(databaseUrl);
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${server}\n[pgbouncer]\n${lines.join('')}`);
  const [command = '', ...args] = [...unprivileged().prefix, requirePgBouncer(process.env), file];
  const child = await startChild({
    name: 'pgbouncer',
    command,
    args,
    env: { PATH: process.env.PATH ?? '' },
    logFile: newLogFile('pgbouncer'),
    records,
  });
  const pooled = (given: string) => {
    const url = new URL(given);
    url.port = `${port}`;
    return url.href;
  };
  await untilReady(child, () => ping(pooled(databaseUrl)), 30_000);
  return { pooled, close: () => child.stop('SIGINT', 10_000) };
}

async function ping(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

/** Path of PgBouncer: PGBOUNCER, or its installation, which is made if missing. @throws with one sentence when that fails */
function requirePgBouncer(environment: NodeJS.ProcessEnv): string {
  const PATH = `${environment.PATH ?? ''}:/usr/sbin`;
  const find = () => findProgram(environment.PGBOUNCER, ['pgbouncer'], { PATH });
  const found = find();
  if (found !== undefined) return found;
  const error = installPackages({ 'apt-get': ['pgbouncer'], apk: ['pgbouncer'], brew: ['pgbouncer'] });
  const installed = find();
  if (installed !== undefined) return installed;
  const why = error ?? 'the package brought none';
  throw new Error(`The test of PgBouncer needs it, and ${why}: install it by hand, or name it in PGBOUNCER.`);
}
