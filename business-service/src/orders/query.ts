import { z } from 'zod';
import type { Instant } from '../values.ts';
import { type Order, type OrderStatus, orderStatuses } from './order.ts';

/** Where the next page starts: below this order number. Opaque to integrators, so that it can change. */
export function encodeOrderCursor(number: number): string {
  return Buffer.from(`n1:${number}`).toString('base64url');
}

/** The order number in a cursor; undefined when the text is none of ours. */
export function decodeOrderCursor(cursor: string): number | undefined {
  const digits = /^n1:([1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (digits === undefined || encodeOrderCursor(Number(digits)) !== cursor) return undefined;
  return Number(digits);
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

const timestamp = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 date and time' })
  .pipe(z.coerce.date())
  .refine((date) => date.getTime() >= 0, 'must not be before 1970');

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

/** The page of a query from up to `limit + 1` orders: the one too many tells that there is a next page. */
export function orderPage(orders: readonly Order[], limit: number) {
  const page = orders.slice(0, limit);
  const last = page.at(-1);
  const more = orders.length > limit && last !== undefined;
  return { orders: page, nextCursor: more ? encodeOrderCursor(last.number) : null };
}
