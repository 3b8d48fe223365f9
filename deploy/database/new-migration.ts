// npm run migration -- <service> <name>: writes the SQL that leads from the committed schema to the edited one.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffSchemas } from '@platform/service-kit/database/diff-schemas.ts';
import { databaseServices } from './services.ts';

const [serviceName, migrationName] = process.argv.slice(2);
const service = databaseServices().find(({ name }) => name === serviceName);
if (service === undefined || migrationName === undefined || !/^[a-z0-9_]+$/.test(migrationName)) {
  const names = databaseServices().map(({ name }) => name);
  fail(`usage: npm run migration -- <${names.join('|')}> <name_in_snake_case>`);
}

const migrations = join(service.root, 'prisma/migrations');
const edited = readFileSync(join(service.root, 'prisma/schema.prisma'), 'utf8');
const sql = await diffSchemas(existsSync(migrations) ? committedSchema() : undefined, edited);
if (sql === undefined) fail('The schema equals the committed one: there is nothing to migrate.');

const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const directory = join(migrations, `${timestamp}_${migrationName}`);
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'migration.sql'), sql);
writeFileSync(join(migrations, 'migration_lock.toml'), 'provider = "postgresql"\n');
process.stdout.write(
  `${join(directory, 'migration.sql')}\nRead it, then commit it together with the schema.\n`,
);

function committedSchema(): string {
  return execFileSync('git', ['show', 'HEAD:./prisma/schema.prisma'], {
    cwd: service?.root,
    encoding: 'utf8',
  });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
