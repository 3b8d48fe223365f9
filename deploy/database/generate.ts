// npm run generate: the Prisma client of every service, from its schema. An argument is the directory to write to instead
// of the repository, as the test of the generators does.
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { databaseServices } from './services.ts';

const prisma = join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build/index.js');
const [elsewhere] = process.argv.slice(2);

// Prevents the download of an engine that is not needed for generating.
const offline = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' };

for (const { name, root } of databaseServices()) {
  const schema = join(elsewhere === undefined ? root : join(elsewhere, name), 'prisma/schema.prisma');
  // The schema says where the client goes, in relation to itself.
  if (elsewhere !== undefined) cpSync(join(root, 'prisma/schema.prisma'), schema);
  execFileSync(process.execPath, [prisma, 'generate', '--no-hints', '--schema', schema], {
    cwd: root,
    env: { ...process.env, ...offline },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
