// npm run prisma -- <service> validate | format | migrate status | studio: Prisma's command line on the schema and database
// of one service. DATABASE_URL names the database; without it, that of the platform which `npm start` runs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { databaseServices } from './services.ts';

const packageFile = createRequire(import.meta.url).resolve('prisma/package.json');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));

/** Allowed commands, which never change a database: services migrate at their start, `npm run migration` writes migrations. */
const commands = ['validate', 'format', 'migrate status', 'studio'];

const [serviceName = '', ...args] = process.argv.slice(2);
const service = databaseServices().find(({ name }) => name === serviceName);
const command = commands.find((each) => `${args.join(' ')} `.startsWith(`${each} `));
if (service === undefined || command === undefined) {
  const names = databaseServices().map(({ name }) => name);
  fail(`usage: npm run prisma -- <${names.join('|')}> <${commands.join('|')}> [options]`);
}

const env = {
  ...process.env,
  DATABASE_URL: command === 'validate' || command === 'format' ? '' : databaseUrl(),
  PRISMA_SERVICE_ROOT: service.root,
  PRISMA_SCHEMA_ENGINE_BINARY: join(import.meta.dirname, 'schema-engine.ts'),
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
  CHECKPOINT_DISABLE: '1',
  // The engine runs on this Node, too.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};
const options = [...args, '--config', join(import.meta.dirname, 'prisma.config.ts')];
// Studio is 135 MB that nothing else needs (docs/decisions/dependencies.md): npm fetches it when it is first opened, and keeps
// it in its cache. From elsewhere, or npm would take the package of this repository, which has no studio.
const fetched = ['exec', '--yes', '--ignore-scripts', `--package=prisma@${version}`, '--', 'prisma'];
const outside = Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
const { status } =
  command === 'studio'
    ? spawnSync('npm', [...fetched, ...options], { cwd: tmpdir(), env: outside, stdio: 'inherit' })
    : spawnSync(process.execPath, [join(dirname(packageFile), 'build/index.js'), ...options], {
        env,
        stdio: 'inherit',
      });
process.exitCode = status ?? 1;

function databaseUrl(): string {
  if (process.env.DATABASE_URL !== undefined) return process.env.DATABASE_URL;
  const file = join(process.env.LOCAL_DIR ?? '.local', 'run.json');
  const name = serviceName.replace('-service', '');
  try {
    const { databases } = z
      .object({ databases: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(file, 'utf8')));
    return databases[name] ?? fail(`${file} has no database of ${serviceName}`);
  } catch {
    return fail('Set DATABASE_URL, or start the platform with npm start.');
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
