import type { Instant } from '../instant.ts';
import type { OrderStatus } from './order-status.ts';

/** One position of an order; amounts in minor units. */
export interface LineItem {
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly unitAmount: number;
}

export interface Customer {
  readonly name: string;
  readonly email: string | null;
}

export type Metadata = Readonly<Record<string, string>>;

export interface Order {
  readonly id: string;
  readonly businessId: number;
  /** Counts up by one per business, without gaps. */
  readonly number: number;
  readonly status: OrderStatus;
  /** ISO 4217. */
  readonly currency: string;
  readonly lineItems: readonly LineItem[];
  /** Minor units. */
  readonly total: number;
  readonly customer: Customer;
  readonly metadata: Metadata;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly paidAt: Instant | null;
  readonly fulfilledAt: Instant | null;
  readonly cancelledAt: Instant | null;
}

/** An order as POST /order asks for it. */
export type OrderDraft = Pick<Order, 'currency' | 'lineItems' | 'customer' | 'metadata'>;

const idShape = /^ord_[0-9A-Za-z]{20}$/;

/** Whether a text can be the id of an order at all. */
export function isOrderId(text: string): boolean {
  return idShape.test(text);
}
