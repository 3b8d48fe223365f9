import { ensureDatabase, startCluster } from '../postgres/cluster.ts';
import { freePort } from '../process/free-port.ts';
import type { LocalDirectory } from './directory.ts';
import { freshLog } from './fresh-log.ts';
import type { Part } from './shutdown.ts';

export interface LocalPostgres {
  readonly part: Part;
  /** URLs of the two databases. */
  readonly identityUrl: string;
  readonly businessUrl: string;
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
    identityUrl: await ensureDatabase(cluster, 'identity'),
    businessUrl: await ensureDatabase(cluster, 'business'),
  };
}
