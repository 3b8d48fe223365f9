import { changeOrder, type OrderChange } from '../orders/change.ts';
import type { Order, OrderDraft, OrderStatus } from '../orders/order.ts';
import type { Instant } from '../values.ts';

const products = [
  { name: 'Espresso machine', sku: 'ESP-01', unitAmount: 34_900 },
  { name: 'Coffee grinder', sku: 'GRD-02', unitAmount: 12_950 },
  { name: 'House blend, 1 kg', sku: 'BLD-10', unitAmount: 2_190 },
  { name: 'Filter papers', sku: null, unitAmount: 490 },
  { name: 'Barista course', sku: 'CRS-07', unitAmount: 9_900 },
] as const;

// Names of test data, under a domain that RFC 2606 keeps free.
const customers = ['Ada Sample', 'Grace Example', 'Alan Trial', 'Hedy Model', 'Kurt Draft'] as const;

/** The steps that lead an order to each state. */
const journeys: readonly (readonly OrderStatus[])[] = [
  [],
  ['paid'],
  ['paid', 'fulfilled'],
  ['cancelled'],
  ['paid', 'cancelled'],
];

/** Draft of an invented order. @param index its place among those that are made together */
export function inventedOrder(index: number): OrderDraft {
  const first = pick(products, index);
  const second = pick(products, index * 2 + 1);
  const items = index % 3 === 0 || first === second ? [first] : [first, second];
  const name = pick(customers, index);
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
  return {
    currency: index % 4 === 3 ? 'USD' : 'EUR',
    lineItems: items.map((item, place) => ({ ...item, quantity: 1 + ((index + place) % 3) })),
    customer: { name, email: index % 5 === 4 ? null : email },
    metadata: { invented: 'true' },
  };
}

/** States that an invented order goes through after its creation, so that several together end in all states. */
export function journeyOf(index: number): readonly OrderStatus[] {
  return pick(journeys, index);
}

/** The step of an invented order to a state. */
export function stepTo(status: OrderStatus): (order: Order, now: Instant) => OrderChange {
  return (order, now) => changeOrder(order, { status }, now);
}

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('an empty list has no items');
  return item;
}
