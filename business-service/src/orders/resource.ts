import type { LineItem, Order } from './order.ts';

/** An order in responses and events. */
export function orderResource(order: Order) {
  return {
    id: order.id,
    number: order.number,
    status: order.status,
    currency: order.currency,
    line_items: order.lineItems.map(lineItemResource),
    total: order.total,
    customer: { name: order.customer.name, email: order.customer.email },
    metadata: { ...order.metadata },
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    paid_at: order.paidAt?.toISOString() ?? null,
    fulfilled_at: order.fulfilledAt?.toISOString() ?? null,
    cancelled_at: order.cancelledAt?.toISOString() ?? null,
  };
}

export type OrderResource = ReturnType<typeof orderResource>;

function lineItemResource({ name, sku, quantity, unitAmount }: LineItem) {
  return { name, sku, quantity, unit_amount: unitAmount };
}
