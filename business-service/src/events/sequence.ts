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
export async function appendEvent(
  tx: Prisma.TransactionClient,
  sequence: LockedSequence,
  { id = randomId('evt'), type, payload, applicationId = null, credentialId = null }: NewEvent,
): Promise<void> {
  const { businessId, eventSequence, orderNumber, now } = sequence;
  await tx.event.create({
    data: {
      businessId,
      sequence: eventSequence,
      id,
      type,
      payload,
      applicationId,
      createdAt: now,
      traceparent: recordedTraceparent(),
      credentialId,
    },
    select: { sequence: true },
  });
  await tx.businessCounter.update({
    where: { businessId },
    data: {
      lastEventSequence: eventSequence,
      lastOrderNumber: type === 'order.created' ? orderNumber : orderNumber - 1,
    },
    select: { businessId: true },
  });
}
