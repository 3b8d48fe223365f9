import { expect, jest, test } from '@jest/globals';
import { createSharedLookup } from './shared-lookup.ts';

const hash = (text: string) => Buffer.from(text);

const never = Number.POSITIVE_INFINITY;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A lookup whose queries end when the test says so. */
function setUp() {
  const queries: {
    readonly hashes: string[];
    resolve(...found: string[]): void;
    fail(error: Error): void;
  }[] = [];
  const waits: number[] = [];
  const lookup = createSharedLookup<string>({
    query: (hashes) => {
      const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
      queries.push({
        hashes: hashes.map(String),
        resolve: (...found) => resolve(new Map(found.map((text) => [hash(text).toString('hex'), text]))),
        fail: reject,
      });
      return promise;
    },
    onWaited: (ms) => waits.push(ms),
    onQueried: () => undefined,
  });
  const find = (text: string, endsAt = never) => lookup([hash(text)], endsAt);
  return { queries, waits, lookup, find };
}

test('lookups that start together share a query, and each gets its own result', async () => {
  const { queries, find } = setUp();
  const found = [find('a'), find('b'), find('c')];
  await turn();
  expect(queries.map(({ hashes }) => hashes)).toEqual([['a', 'b', 'c']]);
  queries[0]?.resolve('a', 'c');
  expect(await Promise.all(found)).toEqual(['a', undefined, 'c']);
});

test('a secret is found under any of its hashes', async () => {
  const { queries, lookup } = setUp();
  const found = lookup([hash('new'), hash('old')], never);
  await turn();
  queries[0]?.resolve('old');
  expect(await found).toBe('old');
});

test('lookups that arrive while three queries run share a later query', async () => {
  const { queries, find } = setUp();
  for (const text of ['1', '2', '3']) {
    void find(text);
    await turn();
  }
  const late = [find('4'), find('5')];
  await turn();
  expect(queries).toHaveLength(3);
  queries[0]?.resolve();
  await turn();
  await turn();
  expect(queries[3]?.hashes).toEqual(['4', '5']);
  queries[3]?.resolve('5');
  expect(await Promise.all(late)).toEqual([undefined, '5']);
});

test('a lookup whose deadline has passed when its turn comes is refused, and others are not', async () => {
  const { queries, find } = setUp();
  const given = find('late', performance.now() - 1);
  const kept = find('in time', performance.now() + 60_000);
  await expect(given).rejects.toMatchObject({ kind: 'unavailable', reason: 'overloaded' });
  expect(queries.map(({ hashes }) => hashes)).toEqual([['in time']]);
  queries[0]?.resolve('in time');
  expect(await kept).toBe('in time');
});

test('after queries as slow as every deadline, one lookup at a time still runs, and quick ones lift the limit', async () => {
  const { queries, find } = setUp();
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    const findFor = async (tookMs: number) => {
      const found = Promise.allSettled(['a', 'b'].map((text) => find(text, now + 1_000)));
      await turn();
      now += tookMs;
      queries.at(-1)?.resolve('a', 'b');
      return (await found).map(({ status }) => status);
    };
    for (let round = 0; round < 12; round++) await findFor(1_500);
    expect(queries.at(-1)?.hashes).toEqual(['b']);
    expect(await findFor(5)).toEqual(['rejected', 'fulfilled']);
    for (let round = 0; round < 12; round++) await findFor(5);
    expect(queries).toHaveLength(25);
    expect(await findFor(5)).toEqual(['fulfilled', 'fulfilled']);
    const passed = find('passed', now);
    await expect(passed).rejects.toMatchObject({ reason: 'overloaded' });
    expect(queries).toHaveLength(26);
  } finally {
    clock.mockRestore();
  }
});

test('a failed query rejects its own lookups, and the next one runs', async () => {
  const { queries, find } = setUp();
  const failed = find('a');
  await turn();
  queries[0]?.fail(new Error('gone'));
  await expect(failed).rejects.toThrow('gone');
  const next = find('b');
  await turn();
  queries[1]?.resolve('b');
  expect(await next).toBe('b');
});

test('the queue is bounded', async () => {
  const { find } = setUp();
  const all = Array.from({ length: 5_001 }, (_, index) => find(String(index)));
  await expect(all.at(-1)).rejects.toMatchObject({ reason: 'overloaded' });
});
