import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { composeOrder } from './order.ts';
import { decodeOrderCursor, encodeOrderCursor, orderPage, orderQueryParameters } from './query.ts';

test('without parameters a page has twenty orders of every status and date', () => {
  expect(orderQueryParameters.parse({})).toEqual({
    limit: 20,
    belowNumber: undefined,
    status: undefined,
    createdFrom: undefined,
    createdTo: undefined,
  });
});

test('every parameter is parsed to its exact type', () => {
  const query = orderQueryParameters.parse({
    limit: '100',
    cursor: encodeOrderCursor(1234),
    status: 'paid',
    created_from: '2026-01-01T00:00:00+01:00',
    created_to: '2026-02-01T00:00:00.5Z',
  });
  expect(query).toEqual({
    limit: 100,
    belowNumber: 1234,
    status: 'paid',
    createdFrom: new Date('2025-12-31T23:00:00Z'),
    createdTo: new Date('2026-02-01T00:00:00.500Z'),
  });
});

describe('a query is refused, naming the parameter, with', () => {
  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1e1'],
    ['limit', ' 5'],
    ['cursor', 'abc'],
    ['cursor', `${encodeOrderCursor(7)}=`],
    ['status', 'open'],
    ['created_from', '2026-01-01'],
    ['created_from', '2026-02-30T00:00:00Z'],
    ['created_from', '1969-12-31T23:59:59Z'],
    ['created_to', 'yesterday'],
  ])('%s=%j', (name, value) => {
    const { error } = orderQueryParameters.safeParse({ [name]: value });
    expect(error?.issues.map(({ path }) => path[0])).toEqual([name]);
  });

  test('an unknown parameter', () => {
    expect(orderQueryParameters.safeParse({ page: '2' }).error?.issues[0]?.code).toBe('unrecognized_keys');
  });

  test('an empty span of time', () => {
    const moment = '2026-01-01T00:00:00Z';
    const { error } = orderQueryParameters.safeParse({ created_from: moment, created_to: moment });
    expect(error?.issues[0]?.path).toEqual(['created_to']);
  });
});

test('a cursor is decoded to its order number, and any other text is rejected', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (number) => {
      expect(decodeOrderCursor(encodeOrderCursor(number))).toBe(number);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const number = decodeOrderCursor(text);
      expect(number === undefined || encodeOrderCursor(number) === text).toBe(true);
    }),
  );
});

const order = (number: number) =>
  composeOrder(
    { currency: 'EUR', lineItems: [], customer: { name: 'A', email: null }, metadata: {} },
    { id: `ord_${number}`, businessId: 1, number, now: new Date(0) },
  );

test('a page with a next page has a cursor to it', () => {
  const page = orderPage([order(9), order(8), order(7)], 2);
  expect(page.orders.map(({ number }) => number)).toEqual([9, 8]);
  expect(decodeOrderCursor(page.nextCursor ?? '')).toBe(8);
});

test('the last page has no cursor, even when it is full', () => {
  expect(orderPage([order(9), order(8)], 2).nextCursor).toBeNull();
  expect(orderPage([], 2)).toEqual({ orders: [], nextCursor: null });
});
