import type { DemoOrder, OrderMoment } from './demo-orders.ts';

export interface NumberedOrder extends DemoOrder {
  readonly number: number;
}

/** The order after all of its history, as a row of business-service's table. */
export function orderRow(order: NumberedOrder) {
  const { id, number, currency, total, history } = order;
  return {
    id,
    number,
    currency,
    total,
    line_items: JSON.stringify(order.lineItems),
    customer: JSON.stringify(order.customer),
    metadata: '{}',
    ...datesOf(history),
  };
}

/** The order after the first `moments` of its history, as the API shows it and as its events carry it. */
export function orderAsOf(order: NumberedOrder, moments: number) {
  const { id, number, currency, total, customer } = order;
  const { status, ...dates } = datesOf(order.history.slice(0, moments));
  return {
    id,
    number,
    status,
    currency,
    line_items: order.lineItems.map(({ unitAmount, ...item }) => ({ ...item, unit_amount: unitAmount })),
    total,
    customer,
    metadata: {},
    ...dates,
  };
}

function datesOf(history: readonly OrderMoment[]) {
  const at = (status: OrderMoment['status']) =>
    history.find((moment) => moment.status === status)?.at ?? null;
  const last = history.at(-1);
  return {
    status: last?.status,
    created_at: at('pending'),
    updated_at: last?.at,
    paid_at: at('paid'),
    fulfilled_at: at('fulfilled'),
    cancelled_at: at('cancelled'),
  };
}
