import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';
import { oauthPurges } from './purge-oauth.ts';
import { peoplePurges } from './purge-people.ts';

/** Deletes some rows whose time is over. Resolves to how many. */
export type Purge = () => Promise<number>;

const batchSize = 1_000;

/** One purge per kind of row that would grow for ever. Replicas that purge at once skip each other's rows. */
export function createPurges(database: Database, prisma: PrismaClient): Readonly<Record<string, Purge>> {
  const purge = (statement: () => Prisma.PrismaPromise<number>): Purge => {
    return () => database.run(statement);
  };
  const statements = { ...oauthPurges(prisma, batchSize), ...peoplePurges(prisma, batchSize) };
  return {
    ...Object.fromEntries(Object.entries(statements).map(([name, statement]) => [name, purge(statement)])),
    usage_batches: purge(
      () => prisma.$executeRaw`
        DELETE FROM usage_batches WHERE batch_id IN (
          SELECT batch_id FROM usage_batches WHERE received_at < clock_timestamp() - interval '1 hour'
          LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    ),
    usage_counts: purge(
      () => prisma.$executeRaw`
        DELETE FROM usage_counts WHERE (credential_id, minute) IN (
          SELECT credential_id, minute FROM usage_counts WHERE minute < clock_timestamp() - interval '90 days'
          LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
    ),
  };
}
