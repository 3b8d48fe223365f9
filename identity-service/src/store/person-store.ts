import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { Membership } from '../people/person.ts';
import type { PersonStore } from '../people/person-store.ts';
import { type PersonRow, personColumns, toPerson } from './person-row.ts';
import { createPersonTransaction } from './person-transaction.ts';
import type { PrismaClient } from './prisma.ts';

/** People in PostgreSQL. */
export function createPersonStore(database: Database, prisma: PrismaClient): PersonStore {
  const findWhere = (condition: Prisma.Sql) =>
    database.run(async () => {
      const [row] = await prisma.$queryRaw<PersonRow[]>`
        SELECT ${personColumns} FROM people p WHERE ${condition}`;
      return row && toPerson(row);
    });
  return {
    find: (personId) => findWhere(Prisma.sql`p.id = ${personId}`),
    findWithSecrets: (personId) => findWhere(Prisma.sql`p.id = ${personId}`),
    findByEmail: (email) => findWhere(Prisma.sql`p.email = ${email}`),
    findByReset: (tokenHashes) =>
      findWhere(Prisma.sql`p.id = (
        SELECT person_id FROM password_resets
        WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND used_at IS NULL
          AND clock_timestamp() < expires_at)`),
    memberships: (personId) => database.run(() => listMemberships(prisma, personId)),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createPersonTransaction(client)))),
  };
}

async function listMemberships(prisma: PrismaClient, personId: string): Promise<Membership[]> {
  const rows = await prisma.$queryRaw<{ business_id: bigint; role: Membership['role'] }[]>`
    SELECT business_id, role::text FROM memberships WHERE person_id = ${personId}
    ORDER BY created_at, business_id`;
  return rows.map(({ business_id, role }) => ({ businessId: Number(business_id), role }));
}
