import { cutPage, decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { timestampField } from '@platform/service-kit/values/timestamp.ts';
import { z } from 'zod';
import type { Instant } from '../values.ts';
import { type Order, type OrderStatus, orderStatuses } from './order.ts';

const cursorShape = /^n1:([1-9]\d{0,14})$/;

/** The cursor of the page below an order number. */
export function encodeOrderCursor(number: number): string {
  return encodeCursor(`n1:${number}`);
}

/** The order number in a cursor; undefined for any other text. */
export function decodeOrderCursor(cursor: string): number | undefined {
  const [number] = decodeCursor(cursor, cursorShape) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** A page of orders, newest first. */
export interface OrderQuery {
  readonly limit: number;
  /** Only orders with a smaller number. */
  readonly belowNumber: number | undefined;
  readonly status: OrderStatus | undefined;
  /** Inclusive. */
  readonly createdFrom: Instant | undefined;
  /** Exclusive. */
  readonly createdTo: Instant | undefined;
}

const timestamp = timestampField.refine((date) => date.getTime() >= 0, 'must not be before 1970');

const cursor = z.string().transform((text, context) => {
  const number = decodeOrderCursor(text);
  if (number !== undefined) return number;
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
  })
  .refine((query) => !query.created_from || !query.created_to || query.created_from < query.created_to, {
    path: ['created_to'],
    error: 'must be after created_from',
  })
  .transform(
    ({ limit, status, ...query }): OrderQuery => ({
      limit,
      status,
      belowNumber: query.cursor,
      createdFrom: query.created_from,
      createdTo: query.created_to,
    }),
  );

/** The page of a query, from up to `limit + 1` orders. */
export function orderPage(found: readonly Order[], limit: number) {
  const { entries: orders, last } = cutPage(found, limit);
  return { orders, nextCursor: last === undefined ? null : encodeOrderCursor(last.number) };
}
