import { isDeepStrictEqual } from 'node:util';
import { randomId } from '@platform/service-kit/ids.ts';
import { digest, type Instant } from '../values.ts';
import {
  canBecome,
  composeOrder,
  type Metadata,
  type Order,
  type OrderDraft,
  type OrderPatch,
  type OrderStatus,
} from './order.ts';
import type { InsertOutcome, OrderStore } from './store.ts';

/** Hours for which an idempotency key is remembered. */
export const idempotencyHours = 24;

/** An idempotency key and a digest of the body that came with it. */
export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

const keyShape = /^[\x21-\x7e]{1,255}$/;

/** Whether a header value can be an Idempotency-Key: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(value: string): boolean {
  return keyShape.test(value);
}

/** Whether a key has expired, purged or not. */
export function isExpired(usedAt: Instant, now: Instant): boolean {
  return now.getTime() - usedAt.getTime() >= idempotencyHours * 3_600_000;
}

/** SHA-256 of a parsed body. Blanks and the order of fields make no difference. */
export function fingerprint(draft: OrderDraft): string {
  return digest(draft);
}

interface CreateOrderInput {
  readonly businessId: number;
  readonly draft: OrderDraft;
  readonly idempotencyKey: string | undefined;
}

/** Creates an order, or replays the response to an earlier use of the key. @throws AppError */
export function createOrder(orders: OrderStore, input: CreateOrderInput): Promise<InsertOutcome> {
  const { businessId, draft, idempotencyKey: key } = input;
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint(draft) };
  return orders.insert(businessId, idempotency, ({ orderNumber, now }) =>
    composeOrder(draft, { id: randomId('ord'), businessId, number: orderNumber, now }),
  );
}

export type OrderEventType =
  | 'order.created'
  | 'order.updated'
  | 'order.paid'
  | 'order.fulfilled'
  | 'order.cancelled';

export type OrderChange =
  | { readonly kind: 'changed'; readonly order: Order; readonly event: OrderEventType }
  | { readonly kind: 'unchanged'; readonly order: Order }
  | { readonly kind: 'forbidden'; readonly from: OrderStatus; readonly to: OrderStatus }
  /** The order has changed since the client read it. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'metadata_full' }
  /** Larger than its events may be. */
  | { readonly kind: 'too_large' };

/** Entries of an order's metadata. */
const maxMetadataEntries = 50;

/** Applies a patch to an order. The current status is no change. */
export function changeOrder(order: Order, patch: OrderPatch, now: Instant): OrderChange {
  const to = patch.status ?? order.status;
  if (to !== order.status && !canBecome(order.status, to)) {
    return { kind: 'forbidden', from: order.status, to };
  }
  const metadata = mergeMetadata(order.metadata, patch.metadata ?? {});
  if (Object.keys(metadata).length > maxMetadataEntries) return { kind: 'metadata_full' };
  const customer = mergeCustomer(order.customer, patch.customer ?? {});
  const same =
    to === order.status && isDeepStrictEqual([customer, metadata], [order.customer, order.metadata]);
  if (same) return { kind: 'unchanged', order };
  return {
    kind: 'changed',
    order: { ...order, customer, metadata, updatedAt: now, ...datesOf(order.status, to, now), status: to },
    event: eventOf(order.status, to),
  };
}

function mergeCustomer(customer: Order['customer'], patch: NonNullable<OrderPatch['customer']>) {
  return {
    name: patch.name ?? customer.name,
    email: patch.email === undefined ? customer.email : patch.email,
  };
}

function mergeMetadata(metadata: Metadata, patch: NonNullable<OrderPatch['metadata']>): Metadata {
  const merged = Object.entries({ ...metadata, ...patch });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

function datesOf(from: OrderStatus, to: OrderStatus, now: Instant): Partial<Order> {
  if (from === to) return {};
  if (to === 'paid') return { paidAt: now };
  if (to === 'fulfilled') return { fulfilledAt: now };
  return { cancelledAt: now };
}

function eventOf(from: OrderStatus, to: OrderStatus): OrderEventType {
  return from === to || to === 'pending' ? 'order.updated' : `order.${to}`;
}
