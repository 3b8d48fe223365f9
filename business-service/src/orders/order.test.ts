import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canBecome, orderDraftBody, orderPatchBody, orderStatuses, orderTotal } from './order.ts';

const body = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 2, unit_amount: 250 }],
  customer: { name: 'Ada' },
};

test('absent fields have defaults', () => {
  expect(orderDraftBody.parse(body)).toEqual({
    currency: 'EUR',
    lineItems: [{ name: 'Tea', sku: null, quantity: 2, unitAmount: 250 }],
    customer: { name: 'Ada', email: null },
    metadata: {},
  });
});

test('text may hold every script, emoji and line breaks', () => {
  const name = 'Ünïcødé 日本 🍵\n2nd line';
  expect(orderDraftBody.parse({ ...body, customer: { name } }).customer.name).toBe(name);
});

const item = body.line_items[0];

const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

describe('a body is refused, naming the field, with', () => {
  test.each([
    ['an unknown currency', { ...body, currency: 'EURO' }, 'currency'],
    ['a currency that is no more', { ...body, currency: 'DEM' }, 'currency'],
    ['a currency in small letters', { ...body, currency: 'eur' }, 'currency'],
    ['no line items', { ...body, line_items: [] }, 'line_items'],
    [
      'more than 100 line items',
      { ...body, line_items: Array.from({ length: 101 }, () => item) },
      'line_items',
    ],
    ['a quantity of none', { ...body, line_items: [{ ...item, quantity: 0 }] }, 'line_items.0.quantity'],
    ['half a piece', { ...body, line_items: [{ ...item, quantity: 1.5 }] }, 'line_items.0.quantity'],
    ['a quantity as text', { ...body, line_items: [{ ...item, quantity: '1' }] }, 'line_items.0.quantity'],
    [
      'a negative amount',
      { ...body, line_items: [{ ...item, unit_amount: -1 }] },
      'line_items.0.unit_amount',
    ],
    ['half a cent', { ...body, line_items: [{ ...item, unit_amount: 0.5 }] }, 'line_items.0.unit_amount'],
    [
      'a total beyond exact numbers',
      { ...body, line_items: [{ ...item, quantity: 1_000_000, unit_amount: 999_999_999_999 }] },
      'line_items',
    ],
    ['no customer', { ...body, customer: undefined }, 'customer'],
    ['an empty name', { ...body, customer: { name: '' } }, 'customer.name'],
    ['a NUL in a name', { ...body, customer: { name: 'A\u0000' } }, 'customer.name'],
    ['half a surrogate pair', { ...body, customer: { name: 'A\ud83c' } }, 'customer.name'],
    ['an invalid email address', { ...body, customer: { name: 'A', email: 'no-domain' } }, 'customer.email'],
    ['an unknown field', { ...body, total: 500 }, ''],
    ['an unknown field further down', { ...body, customer: { name: 'A', phone: '1' } }, 'customer'],
    ['metadata that is no map', { ...body, metadata: ['a'] }, 'metadata'],
    ['a metadata value that is no text', { ...body, metadata: { a: 1 } }, 'metadata.a'],
    ['a metadata value that is too long', { ...body, metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [
      'a metadata key that is too long',
      { ...body, metadata: { ['k'.repeat(41)]: 'x' } },
      `metadata.${'k'.repeat(41)}`,
    ],
    ['more than 50 metadata entries', { ...body, metadata: entries(51) }, 'metadata'],
    ['__proto__ as a field', { ...body, ...{ ['__proto__']: {} } }, ''],
  ])('%s', (_, input, field) => {
    const { error } = orderDraftBody.safeParse(input);
    expect(error?.issues.map(({ path }) => path.join('.'))).toContain(field);
  });
});

test('metadata with far too many entries is refused before any entry is validated', () => {
  const metadata = Object.fromEntries(Array.from({ length: 29_000 }, (_, i) => [`_${i}`, 0]));
  for (const parsed of [
    orderDraftBody.safeParse({ ...body, metadata }),
    orderPatchBody.safeParse({ metadata }),
  ]) {
    const issues = parsed.error?.issues.map(({ path, message }) => [path, message]);
    expect(issues).toEqual([[['metadata'], 'must have at most 50 entries']]);
  }
});

test('the largest allowed metadata is accepted', () => {
  expect(orderDraftBody.safeParse({ ...body, metadata: entries(50) }).success).toBe(true);
});

test('an order goes from pending to paid to fulfilled, or is cancelled on the way, and nowhere else', () => {
  const allowed = orderStatuses.flatMap((from) =>
    orderStatuses.filter((to) => canBecome(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(allowed).toEqual(['pending → paid', 'pending → cancelled', 'paid → fulfilled', 'paid → cancelled']);
});

const lineItem = fc.record({
  quantity: fc.integer({ min: 1, max: 1_000_000 }),
  unitAmount: fc.integer({ min: 0, max: 999_999_999_999 }),
});

test('a total is either exact or undefined', () => {
  fc.assert(
    fc.property(fc.array(lineItem, { minLength: 1, maxLength: 100 }), (items) => {
      const exact = items.reduce((sum, item) => sum + BigInt(item.quantity) * BigInt(item.unitAmount), 0n);
      const expected = exact > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(exact);
      expect(orderTotal(items)).toBe(expected);
    }),
  );
});

test('a total may be the largest safe integer, and one more has no total', () => {
  const largest = { quantity: 1, unitAmount: Number.MAX_SAFE_INTEGER };
  expect(orderTotal([largest])).toBe(Number.MAX_SAFE_INTEGER);
  expect(orderTotal([largest, { quantity: 1, unitAmount: 1 }])).toBeUndefined();
});
