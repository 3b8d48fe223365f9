import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureDatabase, type PostgresCluster } from '../../deploy/local/postgres.ts';
import { compileCache } from './compile-cache.ts';

/** Services with a database of their own. */
const owners = ['identity-service', 'business-service', 'webhook-service'] as const;

export type DatabaseOwner = (typeof owners)[number];

const migrateScript = fileURLToPath(new URL('../../service-kit/src/migrate/main.ts', import.meta.url));

/**
 * Makes a database with the schema of each service, named after it, as the template of those that tests create: migrating
 * an empty one costs each platform seconds.
 */
export async function createDatabaseTemplates(cluster: PostgresCluster): Promise<void> {
  const create = async (owner: DatabaseOwner) => {
    const env = { PATH: process.env.PATH ?? '', ...compileCache, LOG_LEVEL: 'warn', SERVICE: owner };
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', migrateScript], {
      env: { ...env, DATABASE_URL: await ensureDatabase(cluster, owner) },
    });
  };
  await Promise.all(owners.map(create));
}
