import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import { createTeamTransaction } from '../people/team/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { checkRoomForSandbox } from './sandboxes/sandbox.ts';
import { countSandboxes } from './sandboxes/store.ts';

const begunRow = z.object({ creationKey: z.string() });

interface CompletedCreation {
  readonly actor: Actor;
  readonly username: string;
  readonly businessId: number;
  readonly isSandbox?: boolean;
}

export type CreationStore = ReturnType<typeof createCreationStore>;

/** Keeps businesses that people have begun to create, in PostgreSQL. */
export function createCreationStore(database: Database, prisma: PrismaClient) {
  const { newBusiness } = prisma;
  return {
    /** Resolves to the idempotency key: that of an attempt that did not end, else the new one. */
    begin: (personId: string, username: string, newKey: string): Promise<string> =>
      database.run(async () => {
        // The update changes nothing, but lets RETURNING yield an existing row.
        const statement = prisma.$queryRaw`
          INSERT INTO new_businesses (person_id, username, creation_key) VALUES (${personId}, ${username}, ${newKey})
          ON CONFLICT (person_id, username) DO UPDATE SET username = excluded.username
          RETURNING creation_key AS "creationKey"`;
        const [row] = await readRows(begunRow, statement);
        if (row === undefined) throw new Error('an upsert returned no row');
        return row.creationKey;
      }),
    /** Ends an attempt that made no business. */
    discard: (personId: string, username: string): Promise<void> =>
      database.run(async () => {
        await newBusiness.deleteMany({ where: { personId, username } });
      }),
    /** Makes the person the owner, unless a concurrent repetition has. */
    complete: ({ actor, username, businessId, isSandbox = false }: CompletedCreation): Promise<void> =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          // The person first, as the deletion of an account locks.
          const lock = isSandbox ? Prisma.sql`FOR NO KEY UPDATE` : Prisma.sql`FOR KEY SHARE`;
          await client.$executeRaw`SELECT 1 FROM people WHERE id = ${actor.id} ${lock}`;
          const { count } = await client.newBusiness.deleteMany({ where: { personId: actor.id, username } });
          if (count === 0) return;
          if (isSandbox) {
            // Counted under the lock: several may be made at once.
            checkRoomForSandbox((await countSandboxes(client, actor.id)).present);
            await client.sandbox.create({ data: { businessId: BigInt(businessId), personId: actor.id } });
          }
          const team = createTeamTransaction(client);
          await team.addMember(actor.id, businessId, 'owner');
          const subjectId = String(businessId);
          await team.audit({
            actor,
            businessId,
            action: 'business.created',
            subjectId,
            details: { username },
          });
        }),
      ),
  };
}
