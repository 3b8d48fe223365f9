// Brings the database of one service up to date and ends: `SERVICE=identity-service node service-kit/src/migrate/main.ts`.
// The services do the same when they start; before them it needs none of their other variables.

import { resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, logLevel, readConfig } from '../config/config.ts';
import { migrate } from '../database/migrate.ts';
import { createLogger } from '../telemetry/logger.ts';

const schema = z.object({
  SERVICE: z.string().regex(/^[a-z]+-service$/, 'must be the folder of a service'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' }),
  LOG_LEVEL: logLevel.default('info'),
});

try {
  const { SERVICE, DATABASE_URL, LOG_LEVEL } = readConfig(schema, process.env);
  await migrate({
    databaseUrl: DATABASE_URL,
    directory: resolve(import.meta.dirname, '../../..', SERVICE, 'prisma/migrations'),
    logger: createLogger({ service: SERVICE, level: LOG_LEVEL }),
  });
} catch (error) {
  // One line, the last one: an operator sees it as the container's termination message.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 1;
}
// The engine leaves a timer of ten seconds behind, which a deployment would wait for.
process.exit();
