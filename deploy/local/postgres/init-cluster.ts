import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresBinaries } from './binaries.ts';
import type { Unprivileged } from './unprivileged.ts';

const run = promisify(execFile);

/** Role that owns everything in an embedded cluster. */
export const clusterUser = 'platform';

/**
 * Makes the data directory of a cluster unless it is there. An attempt that was cut off leaves nothing that counts:
 * the directory gets its name when it is complete.
 */
export async function initCluster(directory: string, password: string, as: Unprivileged): Promise<void> {
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
  const [command = '', ...rest] = [...as.prefix, postgresBinaries().initdb, ...args];
  try {
    await run(command, rest, { timeout: 60_000 });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, directory);
}
