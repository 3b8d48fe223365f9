import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { composeOrder } from './order.ts';
import { decodeOrderCursor, encodeOrderCursor, orderPage, orderQueryParameters } from './query.ts';

const place = (number: number, at = 0) => ({ number, updatedAtMs: at });

test('without parameters a page has twenty orders of every status and date', () => {
  expect(orderQueryParameters.parse({})).toEqual({
    limit: 20,
    belowNumber: undefined,
    after: undefined,
    status: undefined,
    createdFrom: undefined,
    createdTo: undefined,
    updatedFrom: undefined,
  });
});

test('every parameter is parsed to its exact type', () => {
  const query = orderQueryParameters.parse({
    limit: '100',
    cursor: encodeOrderCursor(place(1234), false),
    status: 'paid',
    created_from: '2026-01-01T00:00:00+01:00',
    created_to: '2026-02-01T00:00:00.5Z',
  });
  expect(query).toEqual({
    limit: 100,
    belowNumber: 1234,
    after: undefined,
    status: 'paid',
    createdFrom: new Date('2025-12-31T23:00:00Z'),
    createdTo: new Date('2026-02-01T00:00:00.500Z'),
    updatedFrom: undefined,
  });
});

describe('a query is refused, naming the parameter, with', () => {
  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1e1'],
    ['limit', ' 5'],
    ['cursor', 'abc'],
    ['cursor', `${encodeOrderCursor(place(7), false)}=`],
    ['status', 'open'],
    ['created_from', '2026-01-01'],
    ['created_from', '2026-02-30T00:00:00Z'],
    ['created_from', '1969-12-31T23:59:59Z'],
    ['created_to', 'yesterday'],
    ['updated_from', '2026-01-01'],
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

test('a cursor is decoded to the place of its order, and any other text is rejected', () => {
  const numbers = fc.integer({ min: 1, max: 999_999_999_999_999 });
  const times = fc.integer({ min: 0, max: 253_402_300_799_999 });
  fc.assert(
    fc.property(numbers, times, (number, at) => {
      const order = place(number, at);
      expect(decodeOrderCursor(encodeOrderCursor(order, false))).toEqual({ belowNumber: number });
      expect(decodeOrderCursor(encodeOrderCursor(order, true))).toEqual({ after: order });
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => expect(decodeOrderCursor(text)).toBeUndefined()));
});

test('a cursor of one order of the list is refused in the other', () => {
  const updated = { updated_from: '2026-01-01T00:00:00Z' };
  const [byNumber, byChange] = [false, true].map((each) => encodeOrderCursor(place(7, 5), each));
  for (const query of [{ cursor: byChange }, { cursor: byNumber, ...updated }]) {
    expect(orderQueryParameters.safeParse(query).error?.issues[0]?.path).toEqual(['cursor']);
  }
  expect(orderQueryParameters.parse({ cursor: byChange, ...updated })).toMatchObject({ after: place(7, 5) });
});

const order = (number: number) =>
  composeOrder(
    { currency: 'EUR', lineItems: [], customer: { name: 'A', email: null }, metadata: {} },
    { id: `ord_${number}`, businessId: 1, number, now: new Date(0) },
  );

const newest = orderQueryParameters.parse({ limit: '2' });

test('a page with a next page has a cursor to it', () => {
  const page = orderPage([order(9), order(8), order(7)], newest);
  expect(page.orders.map(({ number }) => number)).toEqual([9, 8]);
  expect(decodeOrderCursor(page.nextCursor ?? '')).toEqual({ belowNumber: 8 });
});

test('the last page has no cursor, even when it is full', () => {
  expect(orderPage([order(9), order(8)], newest).nextCursor).toBeNull();
  expect(orderPage([], newest)).toEqual({ orders: [], nextCursor: null });
});
