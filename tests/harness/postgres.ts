import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  ensureDatabase,
  type PostgresBinaries,
  type PostgresCluster,
  startCluster,
} from '../../deploy/local/postgres.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { DatabaseOwner } from './database-templates.ts';
import { endWithChildren, freezeTree, thawTree } from './freeze.ts';
import { runDirectory } from './run-directory.ts';

/** URL of a new database in the run's shared cluster: empty, or with the schema of a service. */
export async function createDatabase(owner?: DatabaseOwner): Promise<string> {
  const url = new URL(process.env.HARNESS_POSTGRES_URL ?? '');
  const name = randomDatabaseName();
  await query(url.href, `CREATE DATABASE "${name}" TEMPLATE "${owner ?? 'template1'}"`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Of this test file, by URL. */
const pools = new Map<string, pg.Pool>();

function poolOf(url: string): pg.Pool {
  const existing = pools.get(url);
  if (existing !== undefined) return existing;
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}

/** Runs one statement on any connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await poolOf(url).query<Row>(text, values)).rows;
}

/** A connection of the test's own, for what takes several statements. `end()` closes it. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A cluster for one test file that breaks it. Data directory and port stay over stop and start. */
export interface TestPostgres {
  readonly port: number;
  /** Its data. */
  readonly directory: string;
  createDatabase(): Promise<string>;
  start(): Promise<void>;
  /** Fast shutdown. */
  stop(): Promise<void>;
  /** SIGKILL to the server, as a crash would. */
  kill(): Promise<void>;
  /** Every process of it falls silent; its sockets stay open. */
  freeze(): void;
  thaw(): void;
  /** Ends it for good. */
  close(): Promise<void>;
}

/**
 * Starts a cluster of the test's own; `settings` override the fast and unsafe ones, as `{ synchronous_commit: 'on' }`.
 * @param binaries another PostgreSQL than that of the npm package
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  binaries?: PostgresBinaries,
): Promise<TestPostgres> {
  const { newDirectory, newLogFile, records } = runDirectory();
  const options = {
    directory: `${newDirectory('postgres')}/data`,
    port: await freePort(),
    password: randomBytes(16).toString('hex'),
    logFile: newLogFile('postgres'),
    records,
    settings: { ...clusterSettings, ...settings },
    binaries,
  };
  let cluster: PostgresCluster = await startCluster(options);
  const stop = async () => {
    if (!cluster.process.isRunning()) return;
    thawTree(cluster.process.pid);
    await endWithChildren(cluster.process.pid, cluster.stop);
  };
  return {
    port: options.port,
    directory: options.directory,
    createDatabase: () => ensureDatabase(cluster, randomDatabaseName()),
    start: async () => {
      if (!cluster.process.isRunning()) cluster = await startCluster(options);
    },
    stop,
    kill: () => {
      // It makes no further child while they are listed.
      cluster.process.send('SIGSTOP');
      return endWithChildren(cluster.process.pid, () => cluster.process.stop('SIGKILL', 1_000));
    },
    freeze: () => freezeTree(cluster.process.pid),
    thaw: () => thawTree(cluster.process.pid),
    close: stop,
  };
}

const randomDatabaseName = () => `test_${randomBytes(6).toString('hex')}`;

/** Settings of test clusters: speed over safety, since the data dies with the run. */
export const clusterSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '800',
  shared_buffers: '64MB',
  // Longer than databases of tests live: a worker for each of them every minute takes CPU.
  autovacuum_naptime: '30min',
} as const;
