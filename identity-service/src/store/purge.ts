import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';
import { oauthPurges } from './purge-oauth.ts';
import { peoplePurges } from './purge-people.ts';
import { usagePurges } from './purge-usage.ts';

/** Deletes some rows whose time is over. Resolves to how many. */
export type Purge = () => Promise<number>;

const batchSize = 1_000;

/**
 * One purge per kind of row that would grow for ever. Replicas that purge at once skip each other's rows. What is over is
 * over at `now()`, since no index answers for `clock_timestamp()`: a large table would be read whole, every minute.
 */
export function createPurges(database: Database, prisma: PrismaClient): Readonly<Record<string, Purge>> {
  const purge = (statement: () => Prisma.PrismaPromise<number>): Purge => {
    return () => database.run(statement);
  };
  const statements = {
    ...oauthPurges(prisma, batchSize),
    ...peoplePurges(prisma, batchSize),
    ...usagePurges(prisma, batchSize),
  };
  return Object.fromEntries(Object.entries(statements).map(([name, statement]) => [name, purge(statement)]));
}
