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

/** The migrations up to and including one. */
export function upTo(list: MigrationList, name: string): MigrationList {
  const migrationDirectories = list.migrationDirectories.filter(({ path }) => path <= name);
  return { ...list, migrationDirectories };
}

/** Matches comments, strings, quoted names and function bodies, in which a semicolon does not end a statement. */
const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

/** The statements of a script, in their order, without comments between them and without final semicolons. */
export function statementsOf(sql: string): readonly string[] {
  const withoutComments = sql.replaceAll(token, (match) => {
    if (match === ';') return '\0';
    return match.startsWith('--') || match.startsWith('/*') ? '' : match;
  });
  const statements = withoutComments.split('\0').map((statement) => statement.trim());
  return statements.filter((statement) => statement !== '');
}

/** Whether PostgreSQL refuses a statement of the script within a transaction: `CREATE INDEX CONCURRENTLY`. */
export function isConcurrent(sql: string): boolean {
  return statementsOf(sql).some((statement) => concurrently.test(statement));
}

const concurrently = /^(CREATE(?: UNIQUE)? INDEX|DROP INDEX) CONCURRENTLY\b/i;

/** The same script without CONCURRENTLY, for a database that is not in use yet: it runs in a transaction, with locks. */
export function withoutConcurrency(sql: string): string {
  const statements = statementsOf(sql).map((statement) => statement.replace(concurrently, '$1'));
  return statements.map((statement) => `${statement};\n`).join('');
}
