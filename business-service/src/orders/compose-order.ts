import type { Instant } from '../instant.ts';
import type { Order, OrderDraft } from './order.ts';
import { orderTotal } from './order-total.ts';

/** What storage gives a new order. */
export interface OrderIdentity {
  readonly id: string;
  readonly businessId: number;
  readonly number: number;
  readonly now: Instant;
}

/** A new pending order. @throws when the total is too large, which the door has already refused */
export function composeOrder(draft: OrderDraft, { id, businessId, number, now }: OrderIdentity): Order {
  const total = orderTotal(draft.lineItems);
  if (total === undefined) throw new RangeError('the total of an order is not an exact number');
  return {
    ...draft,
    id,
    businessId,
    number,
    status: 'pending',
    total,
    createdAt: now,
    updatedAt: now,
    paidAt: null,
    fulfilledAt: null,
    cancelledAt: null,
  };
}
