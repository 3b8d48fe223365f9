import { createConcurrencyLimit } from './concurrency-limit.ts';

/** A server that completes `capacity` calls per millisecond, in simulated time. */
function simulate({
  capacityPerMs,
  ratePerMs,
  forMs,
}: Record<'capacityPerMs' | 'ratePerMs' | 'forMs', number>) {
  const clock = { now: 0 };
  const waits: number[] = [];
  const { run } = createConcurrencyLimit({
    targetMs: 250,
    monotonicNow: () => clock.now,
    onWaited: (ms) => waits.push(ms),
    onServed: () => undefined,
  });
  const queue: { resolve(): void }[] = [];
  const ends: { readonly startedAt: number; readonly endedAt: number; readonly isServed: boolean }[] = [];
  let credit = 0;
  let longest = 0;

  const arrive = () => {
    const startedAt = clock.now;
    const ended = (isServed: boolean) => void ends.push({ startedAt, endedAt: clock.now, isServed });
    const work = () => new Promise<void>((resolve) => queue.push({ resolve }));
    run(work, startedAt + 1_000).then(
      () => ended(true),
      () => ended(false),
    );
  };
  const step = async (arrivals: number) => {
    clock.now++;
    for (let i = 0; i < arrivals; i++) arrive();
    credit = Math.min(credit + capacityPerMs, capacityPerMs + queue.length);
    for (; credit >= 1 && queue.length > 0; credit--) queue.shift()?.resolve();
    longest = Math.max(longest, queue.length);
    await new Promise(setImmediate);
  };
  const load = async () => {
    let due = 0;
    for (let ms = 0; ms < forMs; ms++) {
      due += ratePerMs;
      await step(Math.floor(due));
      due -= Math.floor(due);
    }
    for (let ms = 0; ms < 1_500; ms++) await step(0);
    return {
      inTime: ends.filter(({ isServed, startedAt, endedAt }) => isServed && endedAt - startedAt <= 1_000),
      late: ends.filter(({ isServed, startedAt, endedAt }) => isServed && endedAt - startedAt > 1_000),
      abandoned: ends.filter(({ isServed }) => !isServed),
      longest,
      waits,
    };
  };
  return load();
}

test('below capacity no call waits or is abandoned', async () => {
  const { inTime, abandoned, waits } = await simulate({ capacityPerMs: 2, ratePerMs: 1, forMs: 1_000 });
  expect(abandoned).toEqual([]);
  expect(waits).toEqual([]);
  expect(inTime).toHaveLength(1_000);
});

test('at three times the capacity nearly every served call is in time, and abandoned calls have waited first', async () => {
  const forMs = 4_000;
  const { inTime, late, abandoned } = await simulate({ capacityPerMs: 1, ratePerMs: 3, forMs });
  expect(inTime.length).toBeGreaterThan(0.9 * forMs);
  expect(late.length).toBeLessThan(0.02 * inTime.length);
  const waited = abandoned.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);
  expect(waited[Math.floor(waited.length / 20)]).toBeGreaterThan(500);
});

test('calls in flight are bounded by the response time', async () => {
  const { longest } = await simulate({ capacityPerMs: 0.2, ratePerMs: 2, forMs: 3_000 });
  expect(longest).toBeLessThan(120);
});
