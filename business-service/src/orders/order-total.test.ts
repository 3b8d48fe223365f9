import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { orderTotal } from './order-total.ts';

const lineItem = fc.record({
  quantity: fc.integer({ min: 1, max: 1_000_000 }),
  unitAmount: fc.integer({ min: 0, max: 999_999_999_999 }),
});

test('a total is exact, or there is none', () => {
  fc.assert(
    fc.property(fc.array(lineItem, { minLength: 1, maxLength: 100 }), (items) => {
      const exact = items.reduce((sum, item) => sum + BigInt(item.quantity) * BigInt(item.unitAmount), 0n);
      const expected = exact > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(exact);
      expect(orderTotal(items)).toBe(expected);
    }),
  );
});

test('the largest exact number is still a total, one more is not', () => {
  const largest = { quantity: 1, unitAmount: Number.MAX_SAFE_INTEGER };
  expect(orderTotal([largest])).toBe(Number.MAX_SAFE_INTEGER);
  expect(orderTotal([largest, { quantity: 1, unitAmount: 1 }])).toBeUndefined();
});
