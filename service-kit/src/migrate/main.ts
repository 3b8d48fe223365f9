// Brings the database of one service up to date and ends: `SERVICE=identity-service node service-kit/src/migrate/main.ts`.
// Services do the same when they start. This program needs none of their other variables.

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
  // Prints the error as one last line, which operators see as the termination message of the container.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 1;
}
// Exits explicitly, because the engine leaves a timer of ten seconds behind, for which a deployment would wait.
process.exit();
