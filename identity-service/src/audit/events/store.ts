import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';
import type { Prisma } from '../../generated/client.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import type { NewEvent } from './event.ts';

/** Records events in the transaction of the change that they are about, in their order. */
export async function insertEvents(
  client: Prisma.TransactionClient,
  events: readonly NewEvent[],
): Promise<void> {
  const column = <Value>(read: (event: NewEvent) => Value) => events.map(read);
  await client.$executeRaw`
    INSERT INTO outbox_events (id, business_id, type, application_id, data)
    SELECT id, business_id, type, application_id, data::json
    FROM unnest(${column(() => randomId('evt'))}::text[], ${column(({ businessId }) => businessId)}::bigint[],
                ${column(({ type }) => type)}::text[], ${column(({ applicationId }) => applicationId)}::text[],
                ${column(({ data }) => JSON.stringify(data))}::text[])
      WITH ORDINALITY AS e (id, business_id, type, application_id, data, place)
    ORDER BY place`;
}

const pendingRow = z.object({
  id: z.string(),
  businessId: integer,
  type: z.string(),
  applicationId: nullable(z.string()),
  data: z.string(),
  ageSeconds: z.number(),
});

/** An event that business-service does not have yet. */
export type PendingEvent = z.output<typeof pendingRow>;

export type OutboxStore = ReturnType<typeof createOutboxStore>;

/** Reads recorded events from PostgreSQL until business-service has them. */
export function createOutboxStore(database: Database, prisma: PrismaClient) {
  return {
    /** The oldest events in the order of the feeds, without those of some businesses. */
    pending: (limit: number, without: readonly number[]): Promise<PendingEvent[]> =>
      database.run(() =>
        readRows(
          pendingRow,
          prisma.$queryRaw`
            SELECT id, business_id AS "businessId", type, application_id AS "applicationId", data::text AS data,
                   extract(epoch FROM clock_timestamp() - created_at)::float8 AS "ageSeconds"
            FROM outbox_events WHERE business_id <> ALL(${[...without]}::bigint[])
            ORDER BY position LIMIT ${limit}`,
        ),
      ),
    remove: (ids: readonly string[]): Promise<void> =>
      database.run(async () => {
        await prisma.outboxEvent.deleteMany({ where: { id: { in: [...ids] } } });
      }),
  };
}
