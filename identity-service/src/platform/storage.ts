import { fileURLToPath } from 'node:url';
import { AppError } from '@platform/service-kit/app-error.ts';
import { type Database, openDatabase } from '@platform/service-kit/database/database.ts';
import { databaseUnavailable } from '@platform/service-kit/database/errors.ts';
import { migrate } from '@platform/service-kit/database/migrate.ts';
import { createLiveness, type Liveness } from '@platform/service-kit/grpc/liveness.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { Config } from '../config.ts';
import { Prisma, PrismaClient } from '../generated/client.ts';
import type { Closers } from './background.ts';
import type { Position } from './pagination.ts';

/** Whole milliseconds, as they are stored: seconds with a fraction would come out beside them. */
export function moment(ms: number): Prisma.Sql {
  return Prisma.sql`(${new Date(ms)}::timestamptz(3))`;
}

/** What is behind a position in a list that is ordered by `at` descending, then by `id`. */
export function behind(position: Position, at: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  const place = moment(position.at);
  return Prisma.sql`AND ${at} <= ${place} AND (${at} < ${place} OR ${id} > ${position.id})`;
}

export type { PrismaClient } from '../generated/client.ts';

/** Prisma over the service's pool. */
function createPrisma({ adapter, transactionOptions }: Database): PrismaClient {
  return new PrismaClient({ adapter, transactionOptions });
}

const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The service's database, brought up to date. */
export interface Storage {
  readonly database: Database;
  readonly prisma: PrismaClient;
  readonly liveness: Liveness;
}

/** @throws Error when the database does not answer or cannot be migrated */
export async function openStorage(
  config: Config,
  registry: Registry,
  logger: Logger,
  closers: Closers,
): Promise<Storage> {
  const databaseUrl = config.DATABASE_URL;
  await migrate({ databaseUrl, directory: migrations, logger });
  const database = openDatabase({
    url: databaseUrl,
    applicationName: 'identity-service',
    logger,
    registry,
    maxConnections: config.DATABASE_CONNECTIONS,
    waitLimitMs: config.DATABASE_WAIT_MS,
  });
  closers.add(database.close);
  const liveness = createLiveness({
    probe: database.probe,
    isAnswer: (error) => !(error instanceof AppError && error.kind === 'unavailable'),
    deadError: () => databaseUnavailable(new Error('no sign of life')),
    patienceMs: config.DATABASE_PATIENCE_MS,
  });
  closers.add(liveness.close);
  // Opens the connection of the probe, so that a first one does not have to.
  await database.probe();
  return { database, prisma: createPrisma(database), liveness };
}
