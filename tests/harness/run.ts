import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../dashboard/build/ensure-built.ts';
import { type PostgresCluster, startCluster } from '../../deploy/local/postgres.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { endRecordedProcesses, startReaper } from '../../deploy/local/process/record.ts';
import { findRedisServer } from '../../deploy/local/redis.ts';
import { ensureDocsBuilt } from '../../docs-site/build/ensure-built.ts';
import { createDatabaseTemplates } from './database-templates.ts';
import { clusterSettings } from './postgres.ts';

/** A run: one directory for its logs and data, one shared PostgreSQL cluster. */
export interface Run {
  /** Ends every process of the run and removes its directory (kept when HARNESS_KEEP is set). */
  end(): Promise<void>;
}

/**
 * Begins a run: what the test files and benches of this process share. Its address goes into the environment, where
 * `runDirectory()` and `createDatabase()` find it. Everything started in it ends with this process, whatever happens.
 * `redisOnly` is for files that begin a run of their own beside each other: no PostgreSQL, and no pages are built.
 * `mayLackRedis`: on a person's machine nothing is installed behind their back; root's, as in a container, gets redis-server.
 */
export async function beginRun({ redisOnly = false, mayLackRedis = false } = {}): Promise<Run> {
  if (!mayLackRedis || process.getuid?.() === 0) requireRedis();
  if (!redisOnly) {
    ensureDocsBuilt();
    ensureBuilt();
  }
  const directory = mkdtempSync(join(tmpdir(), 'platform-run-'));
  const records = join(directory, 'processes');
  const keep = Boolean(process.env.HARNESS_KEEP);
  for (const name of ['logs', 'data', 'processes']) mkdirSync(join(directory, name), { mode: 0o700 });
  startReaper(records, keep ? undefined : directory);
  process.env.HARNESS_RUN_DIRECTORY = directory;
  const cluster = redisOnly ? undefined : await startSharedCluster(directory, records);
  if (cluster !== undefined) process.env.HARNESS_POSTGRES_URL = cluster.urlOf('postgres');
  return {
    end: async () => {
      await cluster?.stop();
      await endRecordedProcesses(records);
      if (keep) process.stderr.write(`Logs and data of the run: ${directory}\n`);
      else rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startSharedCluster(directory: string, records: string): Promise<PostgresCluster> {
  const cluster = await startCluster({
    directory: join(directory, 'data', 'shared-postgres'),
    port: await freePort(),
    password: randomBytes(16).toString('hex'),
    logFile: join(directory, 'logs', 'shared-postgres.log'),
    records,
    settings: clusterSettings,
  });
  await createDatabaseTemplates(cluster);
  return cluster;
}

/** Finds redis-server, or has the project's own script install it. @throws with one sentence when there is none */
function requireRedis(): void {
  if (findRedisServer(process.env) !== undefined) return;
  process.stderr.write('redis-server is missing: installing it with the package manager of the system.\n');
  const script = fileURLToPath(new URL('../../deploy/local/install-redis.ts', import.meta.url));
  spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] });
  if (findRedisServer(process.env) !== undefined) return;
  throw new Error('The system tests need redis-server 7 or later on the PATH, or its path in REDIS_SERVER.');
}
