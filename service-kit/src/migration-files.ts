import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

/**
 * Reads a directory of migrations in Prisma's layout: `<timestamp>_<name>/migration.sql` and `migration_lock.toml`.
 * @throws when the directory or one of its files cannot be read
 */
export async function readMigrationFiles(directory: string): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: directory,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(directory, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.toSorted().map((name) => readMigration(directory, name))),
  };
}

async function readMigration(directory: string, name: string): Promise<MigrationDirectory> {
  const value = await readFile(join(directory, name, 'migration.sql'), 'utf8');
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } };
}
