import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Child, type Exit, startChild } from '../process/child.ts';
import { processCommand } from '../process/identity.ts';
import { untilReady } from '../process/until-ready.ts';
import { postgresBinaries } from './binaries.ts';
import { clusterUser, initCluster } from './init-cluster.ts';
import { unprivileged } from './unprivileged.ts';

/** A running PostgreSQL server of our own. */
export interface PostgresCluster {
  readonly process: Child;
  readonly port: number;
  /** URL of a database in it, with the password. */
  urlOf(database: string): string;
  /** Fast shutdown: running transactions are rolled back, data is written. */
  stop(): Promise<Exit>;
}

export interface ClusterOptions {
  readonly directory: string;
  readonly port: number;
  readonly password: string;
  readonly logFile: string;
  readonly records: string;
  /** Server settings by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a cluster, making its data directory first where there is none, and waits until it answers. */
export async function startCluster(options: ClusterOptions): Promise<PostgresCluster> {
  const { directory, port, password } = options;
  const as = unprivileged();
  await initCluster(directory, password, as);
  dropStaleLock(directory);
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...args] = [
    ...as.prefix,
    postgresBinaries().postgres,
    '-D',
    directory,
    '-p',
    `${port}`,
    ...flags,
  ];
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

/** Makes a database unless it is there. */
export async function ensureDatabase(cluster: PostgresCluster, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
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
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

/**
 * Removes the lock of a server that was killed: its pid may belong to a stranger by now, and PostgreSQL would refuse to
 * start. The lock of a server that really runs stays, and PostgreSQL says so.
 */
function dropStaleLock(directory: string): void {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [pid] = readFileSync(file, 'utf8').split('\n');
  const command = processCommand(Number(pid));
  if (!command.includes('postgres') || !command.includes(directory)) rmSync(file, { force: true });
}
