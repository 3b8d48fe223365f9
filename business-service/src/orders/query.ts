import { cutPage, decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { timestampField } from '@platform/service-kit/values/timestamp.ts';
import { z } from 'zod';
import type { Instant } from '../values.ts';
import { type Order, type OrderStatus, orderStatuses } from './order.ts';

const numberShape = /^n1:([1-9]\d{0,14})$/;

const changeShape = /^u1:(0|[1-9]\d{0,14}):([1-9]\d{0,14})$/;

/** Place of an order among those sorted by their last change. */
interface ChangePlace {
  /** Milliseconds since 1970. */
  readonly updatedAtMs: number;
  readonly number: number;
}

/** The cursor of the page after an order: below its number, or after its last change. */
export function encodeOrderCursor({ number, updatedAtMs }: ChangePlace, isByChange: boolean): string {
  return encodeCursor(isByChange ? `u1:${updatedAtMs}:${number}` : `n1:${number}`);
}

/** The place in a cursor; undefined for any other text. */
export function decodeOrderCursor(cursor: string): Pick<OrderQuery, 'belowNumber' | 'after'> | undefined {
  const [number] = decodeCursor(cursor, numberShape) ?? [];
  if (number !== undefined) return { belowNumber: Number(number), after: undefined };
  const [updatedAtMs, changed] = decodeCursor(cursor, changeShape) ?? [];
  if (changed === undefined) return undefined;
  return {
    belowNumber: undefined,
    after: { updatedAtMs: Number(updatedAtMs), number: Number(changed) },
  };
}

/** A page of orders: newest first, or with `updatedFrom` by their last change, oldest first. */
export interface OrderQuery {
  readonly limit: number;
  /** Only orders with a smaller number. */
  readonly belowNumber: number | undefined;
  /** Only orders that changed after this one. */
  readonly after: ChangePlace | undefined;
  readonly status: OrderStatus | undefined;
  /** Inclusive. */
  readonly createdFrom: Instant | undefined;
  /** Exclusive. */
  readonly createdTo: Instant | undefined;
  /** Inclusive. */
  readonly updatedFrom: Instant | undefined;
}

const timestamp = timestampField.refine((date) => date.getTime() >= 0, 'must not be before 1970');

const cursor = z.string().transform((text, context) => {
  const place = decodeOrderCursor(text);
  if (place !== undefined) return place;
  context.addIssue('is not a cursor that this API gave out');
  return z.NEVER;
});

/** Query parameters of GET /order. */
export const orderQueryParameters = z
  .strictObject({
    limit: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, 'must be a number from 1 to 100')
      .transform(Number)
      .refine((limit) => limit <= 100, 'must be a number from 1 to 100')
      .default(20),
    cursor: cursor.optional(),
    status: z.enum(orderStatuses, `must be one of ${orderStatuses.join(', ')}`).optional(),
    created_from: timestamp.optional(),
    created_to: timestamp.optional(),
    updated_from: timestamp.optional(),
  })
  .refine((query) => !query.created_from || !query.created_to || query.created_from < query.created_to, {
    path: ['created_to'],
    error: 'must be after created_from',
  })
  .refine(
    ({ cursor, updated_from }) => !cursor || (cursor.after === undefined) === (updated_from === undefined),
    {
      path: ['cursor'],
      error: 'belongs to a list in another order: send it with the same filters',
    },
  )
  .transform(
    ({ limit, status, ...query }): OrderQuery => ({
      limit,
      status,
      belowNumber: query.cursor?.belowNumber,
      after: query.cursor?.after,
      createdFrom: query.created_from,
      createdTo: query.created_to,
      updatedFrom: query.updated_from,
    }),
  );

/** The page of a query, from up to `limit + 1` orders. */
export function orderPage(found: readonly Order[], { limit, updatedFrom }: OrderQuery) {
  const { entries: orders, last } = cutPage(found, limit);
  if (last === undefined) return { orders, nextCursor: null };
  const place = { number: last.number, updatedAtMs: last.updatedAt.getTime() };
  return { orders, nextCursor: encodeOrderCursor(place, updatedFrom !== undefined) };
}
