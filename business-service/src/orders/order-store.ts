import type { Instant } from '../instant.ts';
import type { OrderChange } from './change-order.ts';
import type { Idempotency } from './idempotency.ts';
import type { Order } from './order.ts';
import type { OrderQuery } from './order-query.ts';
import type { OrderResource } from './order-resource.ts';

/** A place in the order of all changes of a business. */
export interface Turn {
  /** Number for a new order. */
  readonly orderNumber: number;
  /** The database's clock. */
  readonly now: Instant;
}

export type InsertOutcome =
  | { readonly kind: 'created'; readonly resource: OrderResource }
  /** The key was used before, with the same body: what was answered then. */
  | { readonly kind: 'replayed'; readonly resource: OrderResource }
  /** The key was used before, with another body. */
  | { readonly kind: 'key_reused' };

/** Where orders are kept. Every write appends its event in the same transaction. */
export interface OrderStore {
  find(businessId: number, id: string): Promise<Order | undefined>;
  /** Newest first, one more than the limit when there are more. */
  list(businessId: number, query: OrderQuery): Promise<readonly Order[]>;
  insert(
    businessId: number,
    idempotency: Idempotency | undefined,
    compose: (turn: Turn) => Order,
  ): Promise<InsertOutcome>;
  /** Applies a decision to the current state, with nobody changing it in between; undefined: no such order. */
  change(
    businessId: number,
    id: string,
    decide: (order: Order, now: Instant) => OrderChange,
  ): Promise<OrderChange | undefined>;
}
