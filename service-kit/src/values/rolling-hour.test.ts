import fc from 'fast-check';
import { bucketMs, countRequests, createRollingHour, hourMs } from './rolling-hour.ts';

interface Arrival {
  readonly at: number;
  readonly requested: number;
}

/** Replays a trace: admitted requests per arrival. */
function replay(arrivals: readonly Arrival[], limit: number) {
  const hour = createRollingHour(arrivals[0]?.at ?? 0);
  return arrivals.map(({ at, requested }) => ({ at, ...countRequests(hour, at, limit, requested) }));
}

/** Maximum of all rolling hours in an exact log. */
function fullestHour(log: readonly { readonly at: number; readonly admitted: number }[]): number {
  return Math.max(
    0,
    ...log.map(({ at }) =>
      log.filter((e) => e.at > at - hourMs && e.at <= at).reduce((sum, e) => sum + e.admitted, 0),
    ),
  );
}

const gaps = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 2_000 }),
  fc.integer({ min: 0, max: 5 * bucketMs }),
  fc.constantFrom(
    bucketMs - 1,
    bucketMs,
    bucketMs + 1,
    hourMs - 1,
    hourMs,
    hourMs + 1,
    61 * bucketMs,
    2 * hourMs,
  ),
);

const traces = fc
  .tuple(
    fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
    fc.array(fc.tuple(gaps, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 80 }),
  )
  .map(([start, steps]) => {
    let at = start;
    return steps.map(([gap, requested]): Arrival => {
      at += gap;
      return { at, requested };
    });
  });

test('no rolling hour of any trace holds more than the limit', () => {
  fc.assert(
    fc.property(traces, fc.integer({ min: 1, max: 100 }), (trace, limit) => {
      expect(fullestHour(replay(trace, limit))).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 2_000 },
  );
});

test('a request is rejected only when the last 61 minutes hold the limit', () => {
  fc.assert(
    fc.property(traces, fc.integer({ min: 1, max: 100 }), (trace, limit) => {
      const log = replay(trace, limit);
      log.forEach((entry, index) => {
        if (entry.admitted === trace[index]?.requested) return;
        const recent = log.filter((e, i) => i <= index && e.at > entry.at - 61 * bucketMs);
        expect(recent.reduce((sum, e) => sum + e.admitted, 0)).toBeGreaterThanOrEqual(limit);
      });
    }),
    { numRuns: 1_000 },
  );
});

test('waiting for retryMs is enough, and one millisecond less is not', () => {
  fc.assert(
    fc.property(traces, fc.integer({ min: 1, max: 100 }), (trace, limit) => {
      const last = trace.at(-1)?.at ?? 0;
      for (const early of [0, 1]) {
        const hour = createRollingHour(trace[0]?.at ?? 0);
        for (const { at, requested } of trace) countRequests(hour, at, limit, requested);
        const { admitted, retryMs } = countRequests(hour, last, limit, 0);
        expect(admitted).toBe(0);
        if (retryMs === 0) continue;
        expect(retryMs).toBeLessThanOrEqual(hourMs);
        expect(countRequests(hour, last + retryMs - early, limit, 1).admitted).toBe(1 - early);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['a steady stream', (second: number) => (second % 2 === 0 ? 10 : 0)],
  [
    'the whole limit at once, every hour on the hour',
    (second: number) => (second % 3_600 === 0 ? 10_000 : 0),
  ],
  ['a burst in the last second of every minute', (second: number) => (second % 60 === 59 ? 5_000 : 0)],
  ['everything at once, all the time', () => 100_000],
])('%s gets at least 97 %% of the limit over a day', (_name, wantedAt) => {
  const limit = 10_000;
  const hour = createRollingHour(0);
  let offered = 0;
  let admitted = 0;
  for (let second = 0; second < 24 * 3_600; second++) {
    const requested = wantedAt(second);
    offered += requested;
    if (requested > 0) admitted += countRequests(hour, second * 1_000, limit, requested).admitted;
  }
  expect(admitted / Math.min(offered, 24 * limit)).toBeGreaterThanOrEqual(0.97);
});

test('a clock that goes back frees no requests', () => {
  const hour = createRollingHour(10 * hourMs);
  countRequests(hour, 10 * hourMs, 5, 5);
  expect(countRequests(hour, 8 * hourMs, 5, 1).admitted).toBe(0);
});

test.each([
  [30, 30],
  [60, 60],
  [61, 0],
  [24 * 60, 0],
  // The same bucket again.
  [24 * 61, 0],
])('requests from when the clock was %d minutes ahead leave after an hour and %d minutes', (ahead, more) => {
  const start = 100 * hourMs;
  const hour = createRollingHour(start);
  countRequests(hour, start + ahead * bucketMs, 5, 5);
  expect(countRequests(hour, start, 5, 1).admitted).toBe(0);
  const leaveAt = start + hourMs + more * bucketMs;
  expect(countRequests(hour, leaveAt - 1, 5, 1).admitted).toBe(0);
  expect(countRequests(hour, leaveAt, 5, 5)).toMatchObject({ admitted: 5, resetMs: hourMs });
});

test('rejected requests are not counted', () => {
  const hour = createRollingHour(0);
  countRequests(hour, 0, 5, 50);
  expect(countRequests(hour, 1, 6, 1)).toMatchObject({ admitted: 1, used: 6 });
});

test('a lowered limit rejects until enough requests have left the hour', () => {
  const hour = createRollingHour(0);
  countRequests(hour, 0, 10, 6);
  countRequests(hour, bucketMs, 10, 4);
  const { admitted, retryMs, resetMs } = countRequests(hour, bucketMs, 4, 1);
  expect({ admitted, retryMs, resetMs }).toEqual({
    admitted: 0,
    retryMs: hourMs,
    resetMs: hourMs - bucketMs,
  });
});
