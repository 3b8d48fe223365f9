import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createArrivalClock } from './arrival-clock.ts';

const ahead = 5_000;

test('a request arrived when its gateway received it, on the clock of this process', () => {
  const arrivalOf = createArrivalClock();
  expect(arrivalOf('gw 100.000 102.500', 102.5 + ahead)).toBe(100 + ahead);
});

test('a replica that stood still knows it from requests that it received at once', () => {
  const arrivalOf = createArrivalClock();
  arrivalOf('gw 100 100', 100.5 + ahead);
  expect(arrivalOf('gw 120 121', 900 + ahead)).toBe(120.5 + ahead);
});

test('each gateway has a clock of its own', () => {
  const arrivalOf = createArrivalClock();
  arrivalOf('one 100 100', 100 + ahead);
  expect(arrivalOf('other 7 8', 200)).toBe(199);
});

test('two requests are as far apart as they were at their gateways, but for the time of the quickest', () => {
  const requests = fc.array(
    fc.record({
      wait: fc.nat(3_000),
      held: fc.nat(2_000),
      delay: fc.double({ min: 0, max: 400, noNaN: true }),
    }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(requests, (given) => {
      const arrivalOf = createArrivalClock();
      let now = 0;
      for (const { wait, held, delay } of given) {
        now += wait;
        const arrival = arrivalOf(`gw ${now} ${now + held}`, now + held + delay + ahead);
        expect(arrival).toBeGreaterThanOrEqual(now + ahead - 0.001);
        expect(arrival).toBeLessThanOrEqual(now + ahead + delay + 0.001);
        now += held;
      }
    }),
  );
});

test.each([
  undefined,
  '',
  'nonsense',
  'gw 100',
  'gw 101 100',
  'gw 0 60001',
  'gw -1 5',
  'gw 1e3 5000',
  ['gw 100 100', 'gw 100 100'],
])('%p is no stamp: the request counts as of its arrival here', (stamp) => {
  expect(createArrivalClock()(stamp, 777)).toBe(777);
});
