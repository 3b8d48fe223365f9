import { describe, expect, test } from '@jest/globals';
import { demoCalls, responseBytesOf } from './calls.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse('2026-03-01T12:34:56Z');
const past = { begin: now - 30 * dayMs, handover: now - 14 * dayMs, expiry: now - dayMs, now };
const changes = [
  { type: 'order.created', orderId: 'ord_1', at: past.handover - hourMs },
  { type: 'order.paid', orderId: 'ord_1', at: past.handover + hourMs },
];

describe('the requests of the demo keys', () => {
  const calls = demoCalls({ ...past, changes });
  const of = (key: string) => calls.filter((call) => call.key === key);

  test('are in order, from the creation of the first key until more than an hour ago', () => {
    const times = calls.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(past.begin);
    expect(times.at(-1)).toBeLessThan(now - hourMs);
    expect(times.at(-1)).toBeGreaterThan(now - 3 * hourMs);
  });

  test('use no key before it was created', () => {
    for (const key of ['secretKey', 'restrictedKey']) {
      expect(of(key)[0]?.at).toBeGreaterThanOrEqual(past.handover);
      expect(of(key)[0]?.at).toBeLessThan(past.handover + 2 * hourMs);
    }
  });

  test('succeed with a key until it expires, and are refused for that reason from then on', () => {
    const isLate = ({ at }: { readonly at: number }) => at >= past.expiry;
    const expired = of('expiredKey');
    expect(expired.filter(isLate).length).toBeGreaterThan(1);
    expect(expired.filter((call) => isLate(call) !== (call.refusal === 'expired'))).toEqual([]);
  });

  test('of a restricted key succeed only where it has the permission', () => {
    const restricted = of('restrictedKey');
    const succeeded = restricted.filter(({ status }) => status < 400);
    expect(new Set(succeeded.map(({ path }) => path))).toEqual(new Set(['/v2/businesses/me']));
    const refused = restricted.filter(({ status }) => status >= 400);
    expect(new Set(refused.map(({ refusal }) => refusal))).toEqual(new Set(['insufficient_scope']));
  });

  test('include every change of an order, with the key that the shop used at that time', () => {
    const writes = calls.filter(({ method, status }) => method !== 'GET' && status < 400);
    expect(writes).toMatchObject([
      { key: 'expiredKey', method: 'POST', path: '/v2/order', at: changes[0]?.at },
      { key: 'secretKey', method: 'PATCH', path: '/v2/order/ord_1', at: changes[1]?.at },
    ]);
  });
});

test.each([
  ['/v2/order', 403, undefined, 33],
  ['/v2/orders', 404, 'not found', 53],
  ['/v2/businesses/me', 200, undefined, 194],
])('the response to a demo request of %s with %d has the size of its body', (path, status, error, bytes) => {
  expect(responseBytesOf({ method: 'GET', path, status, error }, 3)).toBe(bytes);
});

test('a page of orders is larger than one order', () => {
  const bytes = (method: 'GET' | 'POST') => responseBytesOf({ method, path: '/v2/order', status: 200 }, 3);
  expect(bytes('GET')).toBeGreaterThan(10 * bytes('POST'));
});
