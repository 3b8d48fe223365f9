// npm run generate: the Prisma client of every service, from its schema.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { databaseServices } from './services.ts';

const prisma = join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build/index.js');

// The command wants to download an engine that generating does not use.
const offline = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' };

for (const { name, root } of databaseServices()) {
  process.stdout.write(`${name}: `);
  execFileSync(process.execPath, [prisma, 'generate', '--no-hints'], {
    cwd: root,
    env: { ...process.env, ...offline },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
