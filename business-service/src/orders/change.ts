import { isDeepStrictEqual } from 'node:util';
import type { OrderEventType } from '../events/event.ts';
import type { Instant } from '../values.ts';
import { canBecome, type Metadata, type Order, type OrderPatch, type OrderStatus } from './order.ts';

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
