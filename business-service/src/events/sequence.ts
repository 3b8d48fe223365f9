import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { currentRequest } from '@platform/service-kit/telemetry/request-context.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import type { Instant } from '../values.ts';
import type { EventType } from './event.ts';

/** The next numbers of a business, locked until the transaction ends. */
export interface LockedSequence {
  readonly businessId: number;
  readonly eventSequence: number;
  readonly orderNumber: number;
  /** Later than at the event before: the database's clock, read under the lock, or the next millisecond. */
  readonly now: Instant;
}

const counterRow = z.object({
  last_event_sequence: integer,
  last_order_number: integer,
  now: z.date(),
});

/**
 * Locks the event sequence of a business until the transaction ends. Every writer takes this lock first, so writers never
 * deadlock. Undefined for no such business.
 */
export async function lockSequence(
  tx: Prisma.TransactionClient,
  businessId: number,
): Promise<LockedSequence | undefined> {
  // A clock that was set back by more than a minute is right again.
  const lock = tx.$queryRaw`
    SELECT last_event_sequence, last_order_number,
      CASE WHEN changed_at < clock_timestamp() + interval '1 minute'
        THEN greatest(clock_timestamp(), changed_at + interval '1 ms') ELSE clock_timestamp() END AS now
    FROM business_counters WHERE business_id = ${businessId} FOR UPDATE`;
  const [row] = await readRows(counterRow, lock);
  if (row === undefined) return undefined;
  return {
    businessId,
    eventSequence: row.last_event_sequence + 1,
    orderNumber: row.last_order_number + 1,
    now: row.now,
  };
}

/** The database's clock. */
export async function readClock(tx: Prisma.TransactionClient): Promise<Instant> {
  const [row] = await readRows(counterRow.pick({ now: true }), tx.$queryRaw`SELECT clock_timestamp() AS now`);
  if (row === undefined) throw new Error('SELECT clock_timestamp() returned no row');
  return row.now;
}

/** Tells the readers of a business's feed that it has changed. Called after the commit; may be lost. */
export type AnnounceChange = (businessId: number) => void;

export interface NewEvent {
  /** A new one where absent. */
  readonly id?: string;
  readonly type: EventType;
  readonly payload: Prisma.InputJsonObject;
  /** The application that it is about; null or absent for none. */
  readonly applicationId?: string | null;
  /** Of its author; null or absent for none. */
  readonly credentialId?: string | null;
}

/** Of the current request, for the deliveries of its events; null where its trace is not recorded. */
function recordedTraceparent(): string | null {
  const span = currentRequest()?.span;
  return span?.isSampled === true ? span.traceparent : null;
}

/** Appends an event and advances the counters. A lock without an event leaves no gap. */
export function appendEvent(
  tx: Prisma.TransactionClient,
  sequence: LockedSequence,
  event: NewEvent,
): Promise<void> {
  return appendEvents(tx, sequence, [event]);
}

/** The same for several events, in their order and with the same time. */
export async function appendEvents(
  tx: Prisma.TransactionClient,
  { businessId, eventSequence, orderNumber, now }: LockedSequence,
  events: readonly NewEvent[],
): Promise<void> {
  const traceparent = recordedTraceparent();
  const rows = events.map(
    ({ id = randomId('evt'), type, payload, applicationId = null, credentialId = null }, index) => ({
      sequence: eventSequence + index,
      id,
      type,
      payload,
      application_id: applicationId,
      credential_id: credentialId,
    }),
  );
  // One statement, whatever the number of rows.
  await tx.$executeRaw`
    INSERT INTO events (business_id, sequence, id, type, payload, application_id, created_at, traceparent, credential_id)
    SELECT ${businessId}, sequence, id, type, payload, application_id, ${now}, ${traceparent}, credential_id
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS event (
      sequence bigint, id text, type text, payload json, application_id text, credential_id text)`;
  const created = events.filter(({ type }) => type === 'order.created').length;
  await tx.businessCounter.update({
    where: { businessId },
    data: {
      lastEventSequence: eventSequence + events.length - 1,
      lastOrderNumber: orderNumber - 1 + created,
    },
    select: { businessId: true },
  });
}
