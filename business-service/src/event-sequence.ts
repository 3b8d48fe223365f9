import { randomId } from '@platform/service-kit/ids.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { BusinessEventType } from './businesses/business.ts';
import type { Prisma } from './generated/client.ts';
import type { OrderEventType } from './orders/operations.ts';
import type { Instant } from './values.ts';

/** A place in the order of all changes of a business, held until the transaction ends. */
export interface HeldTurn {
  readonly businessId: number;
  readonly eventSequence: number;
  readonly orderNumber: number;
  /** The database's clock, after the wait: later turns have later times. */
  readonly now: Instant;
}

const counterRow = z.object({
  last_event_sequence: integer,
  last_order_number: integer,
  now: z.date(),
});

/**
 * Waits for the changes of this business that are under way and keeps later ones out. All writers take this one lock
 * first, so none can wait in a circle. Undefined: no such business.
 */
export async function takeTurn(
  tx: Prisma.TransactionClient,
  businessId: number,
): Promise<HeldTurn | undefined> {
  const lock = tx.$queryRaw`
    SELECT last_event_sequence, last_order_number, clock_timestamp() AS now
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
  if (row === undefined) throw new Error('the database did not tell the time');
  return row.now;
}

export interface NewEvent {
  readonly type: BusinessEventType | OrderEventType;
  readonly payload: Prisma.InputJsonObject;
}

/** Spends a turn: appends its event and moves the counters on. A turn that is not spent leaves no gap. */
export async function spendTurn(
  tx: Prisma.TransactionClient,
  turn: HeldTurn,
  { type, payload }: NewEvent,
): Promise<void> {
  const { businessId, eventSequence, orderNumber, now } = turn;
  await tx.event.create({
    data: { businessId, sequence: eventSequence, id: randomId('evt'), type, payload, createdAt: now },
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
