import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PostgresBinaries } from '../../deploy/local/postgres.ts';
import { installPackages } from '../../deploy/local/process/install-packages.ts';

/** A whole PostgreSQL: its server, and the tools of the same version. */
export interface PostgresTools extends PostgresBinaries {
  /** Directory of the programs. */
  readonly bin: string;
}

const programs = [
  'initdb',
  'postgres',
  'pg_dump',
  'pg_restore',
  'psql',
  'pg_isready',
  'pg_basebackup',
  'pg_verifybackup',
];

/** Where Debian has each version. */
const versions = '/usr/lib/postgresql';

/**
 * A PostgreSQL with pg_dump, which refuses a server that is newer than itself; the npm package has the server alone.
 * Installed where there is none. @throws with one sentence when that fails
 */
export function requirePostgresTools(environment: NodeJS.ProcessEnv): PostgresTools {
  const found = findTools(environment);
  if (found !== undefined) return found;
  const error = installPackages({ 'apt-get': ['postgresql'], apk: ['postgresql'], brew: ['postgresql'] });
  const installed = findTools(environment);
  if (installed !== undefined) return installed;
  throw new Error(
    `The tests of backups need PostgreSQL with pg_dump, and ${error ?? 'the package brought none'}: name its directory in POSTGRES_BIN.`,
  );
}

function findTools({ POSTGRES_BIN, PATH = '' }: NodeJS.ProcessEnv): PostgresTools | undefined {
  const named = POSTGRES_BIN === undefined ? [] : [POSTGRES_BIN];
  const installed = subdirectories(versions).map((version) => join(versions, version, 'bin'));
  const bin = [...named, ...PATH.split(delimiter), ...installed].find(hasAll);
  return bin === undefined
    ? undefined
    : { bin, initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

function subdirectories(path: string): string[] {
  try {
    return readdirSync(path).sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

function hasAll(directory: string): boolean {
  try {
    for (const program of programs) accessSync(join(directory, program), constants.X_OK);
    return directory !== '';
  } catch {
    return false;
  }
}
