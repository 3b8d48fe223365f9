import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DatabaseService, databaseServices } from '../../deploy/database/services.ts';
import { ensureDatabase, type PostgresCluster } from '../../deploy/local/postgres.ts';
import type { ServiceName } from '../../deploy/local/process/service.ts';
import { compileCache } from './compile-cache.ts';
import { divideByBusiness } from './hash-partitions.ts';

/** A service with a database of its own. */
export type DatabaseOwner = Exclude<ServiceName, 'gateway'>;

const migrateScript = fileURLToPath(new URL('../../service-kit/src/migrate/main.ts', import.meta.url));

/**
 * Creates a database with the schema of each service, named after it, as the template for tests, since migrating
 * an empty one costs each platform seconds.
 */
export async function createDatabaseTemplates(cluster: PostgresCluster): Promise<void> {
  const create = async ({ name }: DatabaseService) => {
    const env = { PATH: process.env.PATH ?? '', ...compileCache, LOG_LEVEL: 'warn', SERVICE: name };
    const url = await ensureDatabase(cluster, name);
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', migrateScript], {
      env: { ...env, DATABASE_URL: url },
    });
    if (name === 'business-service') await divideByBusiness(url);
  };
  await Promise.all(databaseServices().map(create));
}
