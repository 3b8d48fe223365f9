import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An identifier as business-service gives them: prefix and 20 random base62 characters. */
export function demoId(prefix: string): string {
  return `${prefix}_${Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}

/** An order as the demo tells it; amounts in minor units. */
export interface DemoOrder {
  readonly id: string;
  readonly currency: 'EUR';
  readonly lineItems: readonly LineItem[];
  readonly total: number;
  readonly customer: { readonly name: string; readonly email: string };
  /** Its events, oldest first. */
  readonly history: readonly OrderMoment[];
}

interface LineItem {
  readonly name: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitAmount: number;
}

interface OrderMoment {
  readonly status: 'pending' | 'paid' | 'fulfilled' | 'cancelled';
  readonly at: Date;
}

const count = 25;

const days = 30;

const hourMs = 3_600_000;

const products = [
  { name: 'Coffee beans, 1 kg', sku: 'COF-1', unitAmount: 1890 },
  { name: 'Paper filters, 100', sku: 'FIL-100', unitAmount: 450 },
  { name: 'Hand grinder', sku: 'GRI-2', unitAmount: 7900 },
  { name: 'Kettle, 1.2 l', sku: 'KET-12', unitAmount: 5400 },
  { name: 'Cup, stoneware', sku: 'CUP-S', unitAmount: 1250 },
] as const;

const customers = ['Ada Berg', 'Bo Lind', 'Chen Wei', 'Dana Novak', 'Emil Roth', 'Fatou Diop', 'Gita Rao'];

/** 25 orders spread over the 30 days before `now`, oldest first: the older, the further along. */
export function demoOrders(now: Date): DemoOrder[] {
  return Array.from({ length: count }, (_, index) => {
    const hoursAgo = (days * 24 * (count - index)) / count - 5;
    return demoOrder(index, new Date(now.getTime() - hoursAgo * hourMs), now);
  });
}

function demoOrder(index: number, createdAt: Date, now: Date): DemoOrder {
  const lineItems = demoLineItems(index);
  const name = customers[index % customers.length] ?? '';
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
  return {
    id: demoId('ord'),
    currency: 'EUR',
    lineItems,
    total: lineItems.reduce((sum, item) => sum + item.quantity * item.unitAmount, 0),
    customer: { name, email },
    history: demoHistory(index, createdAt).filter(({ at }) => at < now),
  };
}

function demoLineItems(index: number): LineItem[] {
  return Array.from({ length: 1 + (index % 3) }, (_, position) => {
    const product = products[(index + position) % products.length] ?? products[0];
    return { ...product, quantity: 1 + ((index + position) % 4) };
  });
}

/** Paid after two hours and fulfilled after four days; every seventh is cancelled instead, the newest is not paid yet. */
function demoHistory(index: number, createdAt: Date): OrderMoment[] {
  const after = (hours: number) => new Date(createdAt.getTime() + hours * hourMs);
  const pending: OrderMoment = { status: 'pending', at: createdAt };
  if (index % 7 === 5) return [pending, { status: 'cancelled', at: after(6) }];
  if (index === count - 1) return [pending];
  return [pending, { status: 'paid', at: after(2) }, { status: 'fulfilled', at: after(96) }];
}

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
    line_items: order.lineItems,
    customer: order.customer,
    metadata: {},
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
