import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '@platform/service-kit/database/database.ts';
import { databaseUnavailable } from '@platform/service-kit/database/errors.ts';
import { prepareDatabase } from '@platform/service-kit/database/migrate.ts';
import { Liveness } from '@platform/service-kit/grpc/liveness.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Config } from '../config.ts';
import { Prisma, PrismaClient } from '../generated/client.ts';
import type { Position } from './pagination.ts';

/** A time in a statement, in whole milliseconds as they are stored: a fraction would compare as later. */
export function sqlTimestamp(ms: number): Prisma.Sql {
  return Prisma.sql`(${new Date(ms)}::timestamptz(3))`;
}

/** Keyset condition: rows after the cursor in the order (at DESC, id). */
export function afterCursor({ at: ms, id: last }: Position, at: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  const place = sqlTimestamp(ms);
  return Prisma.sql`AND ${at} <= ${place} AND (${at} < ${place} OR ${id} > ${last})`;
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

/**
 * The `inTransaction` of a store: runs `work` in one transaction, so that all of it happens, or nothing.
 * @param open what an operation of the store can do in one transaction of `client`
 */
export function transactionsOf<Transaction>(
  database: Database,
  prisma: PrismaClient,
  open: (client: Prisma.TransactionClient) => Transaction,
): <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T> {
  return (work) => database.run(() => prisma.$transaction((client) => work(open(client))));
}

interface StorageDeps {
  readonly registry: Registry;
  readonly logger: Logger;
  readonly tracer: Tracer | undefined;
}

interface OpenedAs {
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly waitLimitMs: number;
}

/** The database as it is, for a process beside the service. Connects with the first query. */
export function openPrepared(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOLING'>,
  as: OpenedAs,
  { registry, logger, tracer }: StorageDeps,
  resources: AsyncDisposableStack,
): Pick<Storage, 'database' | 'prisma'> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    pooling: config.DATABASE_POOLING,
    ...as,
    logger,
    registry,
    tracer,
  });
  resources.defer(database.close);
  return { database, prisma: createPrisma(database) };
}

/** @throws Error when the database does not respond or cannot be migrated */
export async function openStorage(
  config: Config,
  deps: StorageDeps,
  resources: AsyncDisposableStack,
): Promise<Storage> {
  await prepareDatabase(config, migrations, deps.logger);
  const { DATABASE_CONNECTIONS: maxConnections, DATABASE_WAIT_MS: waitLimitMs } = config;
  const as = { applicationName: 'identity-service', maxConnections, waitLimitMs };
  const { database, prisma } = openPrepared(config, as, deps, resources);
  const liveness = new Liveness({
    probe: database.probe,
    isResponse: (error) => !(error instanceof AppError && error.kind === 'unavailable'),
    deadError: () => databaseUnavailable(new Error('no sign of life')),
    patienceMs: config.DATABASE_PATIENCE_MS,
  });
  resources.defer(() => liveness.close());
  // Opens the connection for probes in advance.
  await database.probe();
  return { database, prisma, liveness };
}

/** Whether the person `p` of a statement has a second factor: the app or a passkey. */
export const hasFactorOfP = Prisma.sql`
  (p.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys k WHERE k.person_id = p.id))`;

/** Whether the business of the membership `m` requires a second factor. */
export const requiresFactorOfM = Prisma.sql`
  EXISTS (SELECT 1 FROM second_factor_requirements f WHERE f.business_id = m.business_id)`;
