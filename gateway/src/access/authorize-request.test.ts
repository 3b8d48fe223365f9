import { createUnknownCredentialLimit } from './authorize-request.ts';

function setUp(perMinute = 6) {
  const clock = { now: 0 };
  const { count } = createUnknownCredentialLimit({
    perMinute,
    maxNetworks: 2,
    monotonicNow: () => clock.now,
  });
  const times = (number: number, address: string) => Array.from({ length: number }, () => count(address));
  return { clock, count, times };
}

test('a full bucket holds a minute of requests and refills at a constant rate', () => {
  const { clock, times } = setUp();
  expect(times(7, '192.0.2.1')).toEqual([0, 0, 0, 0, 0, 0, 10_000]);
  clock.now = 9_000;
  expect(times(1, '192.0.2.1')[0]).toBeCloseTo(1_000);
  clock.now = 10_001;
  expect(times(2, '192.0.2.1')).toEqual([0, expect.any(Number)]);
  clock.now = 1_000_000;
  expect(times(7, '192.0.2.1')).toEqual([0, 0, 0, 0, 0, 0, 10_000]);
});

test('each address has its own bucket, and rejected requests take no token', () => {
  const { clock, times } = setUp();
  times(600, '192.0.2.1');
  expect(times(6, '192.0.2.2')).toEqual([0, 0, 0, 0, 0, 0]);
  clock.now = 10_001;
  expect(times(1, '192.0.2.1')).toEqual([0]);
});

test('memory is bounded by dropping the least recently used network', () => {
  const { times } = setUp();
  times(7, '192.0.2.1');
  times(1, '192.0.2.2');
  times(1, '192.0.2.3');
  expect(times(1, '192.0.2.1')).toEqual([0]);
});
