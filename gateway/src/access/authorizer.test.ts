import { allowedWith } from '../../testing/sample-authorization.ts';
import type { AuthorizationQuery, AuthorizationResult } from './authorization-result.ts';
import { createAuthorizer, createSequence } from './authorizer.ts';

const query: AuthorizationQuery = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: 'orders:read',
  requestId: 'r',
  startedAt: 0,
};

const forged = 'sk_forged';

const unavailable: AuthorizationResult = { outcome: 'unavailable' };

const allowed = (requestedAt: number) => allowedWith({ requestedAt });

/** An authorizer whose identity-service responds when the test says so. */
function setUp(cacheSize = 10) {
  const fetches: {
    readonly requestedAt: number;
    readonly query: AuthorizationQuery;
    respond(value?: AuthorizationResult): Promise<void>;
  }[] = [];
  const clock = { now: 0 };
  const sequence = createSequence();
  const authorizer = createAuthorizer({
    fetchAuthorization: (fetched, requestedAt) => {
      const { promise, resolve } = Promise.withResolvers<AuthorizationResult>();
      fetches.push({
        requestedAt,
        query: fetched,
        respond: async (value = allowed(requestedAt)) => {
          resolve(value);
          await new Promise(setImmediate);
        },
      });
      return promise;
    },
    hasValidTag: (bearer) => bearer !== forged,
    sequence,
    monotonicNow: () => clock.now,
    budgetMs: 1_000,
    cacheSize,
  });
  return { authorizer, fetches, clock, sequence };
}

/** A set-up with a cached result. */
async function warmedUp() {
  const all = setUp();
  const first = all.authorizer.getCached(query, all.sequence());
  await all.fetches[0]?.respond();
  return { ...all, cached: await first };
}

test('a result is fetched once and then served from the cache', async () => {
  const { authorizer, fetches, sequence, cached } = await warmedUp();
  expect(await authorizer.getCached(query, sequence())).toBe(cached);
  expect(fetches).toHaveLength(1);
});

test.each([
  ['another bearer', { ...query, bearer: 'sk_y' }],
  ['another address', { ...query, clientIp: '2.2.2.2' }],
  ['another scope', { ...query, requiredScope: 'orders:write' }],
])('a request with %s has a separate cache entry', async (_name, other) => {
  const { authorizer, fetches, sequence } = await warmedUp();
  void authorizer.getCached(other, sequence());
  expect(fetches).toHaveLength(2);
});

test.each(['frozen', 'key_frozen', 'scope_denied', 'ip_denied'] as const)('%s is cached', async (outcome) => {
  const { authorizer, fetches, sequence } = setUp();
  const denied: AuthorizationResult = { ...allowed(1), outcome };
  const first = authorizer.getCached(query, sequence());
  await fetches[0]?.respond(denied);
  expect([await first, await authorizer.getCached(query, sequence())]).toEqual([denied, denied]);
  expect(fetches).toHaveLength(1);
});

test('the outcome "expired" is never cached', async () => {
  const { authorizer, fetches, sequence } = setUp();
  const first = authorizer.getCached(query, sequence());
  await fetches[0]?.respond({ outcome: 'expired' });
  expect(await first).toEqual({ outcome: 'expired' });
  void authorizer.getCached(query, sequence());
  expect(fetches).toHaveLength(2);
});

test('an invalid bearer is fetched once in 10 s, for any scope and address', async () => {
  const { authorizer, fetches, clock, sequence } = setUp();
  void authorizer.getCached(query, sequence());
  const retired = { ...allowed(1).principal, id: 'string' };
  await fetches[0]?.respond({ outcome: 'invalid', retired });
  clock.now = 9_999;
  const other = { ...query, clientIp: '2.2.2.2', requiredScope: '' };
  expect(await authorizer.getCached(query, sequence())).toEqual({ outcome: 'invalid', retired });
  expect(await authorizer.getCached(other, sequence())).toEqual({ outcome: 'invalid', retired });
  void authorizer.getCached({ ...query, bearer: 'sk_y' }, sequence());
  expect(fetches).toHaveLength(2);
  clock.now = 10_000;
  void authorizer.getCached(query, sequence());
  expect(fetches).toHaveLength(3);
});

test.each([10, 0])('a bearer without a valid tag is not fetched (cache size %i)', async (cacheSize) => {
  const { authorizer, fetches, sequence } = setUp(cacheSize);
  expect(await authorizer.getCached({ ...query, bearer: forged }, sequence())).toEqual({
    outcome: 'invalid',
  });
  expect(fetches).toHaveLength(0);
});

test('requests that began before a fetch share it', async () => {
  const { authorizer, fetches, sequence } = setUp();
  const moments = [sequence(), sequence(), sequence()];
  const results = Promise.all(moments.map((since) => authorizer.fetchAfter(query, since)));
  await fetches[0]?.respond();
  expect(new Set(await results).size).toBe(1);
  expect(fetches).toHaveLength(1);
});

test('requests that begin during a fetch share one later fetch', async () => {
  const { authorizer, fetches, sequence } = setUp();
  void authorizer.fetchAfter(query, sequence());
  const late = Promise.all([1, 2, 3].map(() => authorizer.fetchAfter(query, sequence())));
  await fetches[0]?.respond();
  expect(fetches).toHaveLength(2);
  await fetches[1]?.respond();
  expect((await late).map((result) => result.outcome === 'allowed' && result.requestedAt)).toEqual(
    Array(3).fill(fetches[1]?.requestedAt),
  );
});

test('a request that began during a failed fetch makes another fetch within its budget', async () => {
  const { authorizer, fetches, clock, sequence } = setUp();
  const first = authorizer.fetchAfter(query, sequence());
  clock.now = 900;
  const late = [1, 2].map(() => authorizer.fetchAfter({ ...query, startedAt: 900 }, sequence()));
  clock.now = 1_000;
  await fetches[0]?.respond(unavailable);
  expect(await first).toEqual(unavailable);
  expect(fetches).toHaveLength(2);
  await fetches[1]?.respond();
  expect(await Promise.all(late)).toEqual([
    allowed(fetches[1]?.requestedAt ?? 0),
    allowed(fetches[1]?.requestedAt ?? 0),
  ]);
});

test('a request past its budget does not fetch', async () => {
  const { authorizer, fetches, clock, sequence } = setUp();
  void authorizer.fetchAfter(query, sequence());
  const late = authorizer.fetchAfter(query, sequence());
  clock.now = 1_000;
  await fetches[0]?.respond(unavailable);
  expect(await late).toEqual(unavailable);
  expect(fetches).toHaveLength(1);
});

test('the wait for a second fetch is bounded by the budget of the request', async () => {
  const { authorizer, fetches, clock, sequence } = setUp();
  void authorizer.fetchAfter(query, sequence());
  const late = authorizer.fetchAfter(query, sequence());
  clock.now = 995;
  await fetches[0]?.respond();
  expect(fetches).toHaveLength(2);
  expect(await late).toEqual(unavailable);
});

test('a cached result is refreshed in the background after 20 s, once', async () => {
  const { authorizer, fetches, clock, sequence, cached } = await warmedUp();
  clock.now = 19_999;
  void authorizer.getCached(query, sequence());
  expect(fetches).toHaveLength(1);
  clock.now = 20_000;
  expect(await authorizer.getCached(query, sequence())).toBe(cached);
  expect(await authorizer.getCached(query, sequence())).toBe(cached);
  expect(fetches).toHaveLength(2);
  await fetches[1]?.respond();
  expect(await authorizer.getCached(query, sequence())).not.toBe(cached);
});

test('an invalid refresh removes the cached result', async () => {
  const { authorizer, fetches, clock, sequence } = await warmedUp();
  clock.now = 20_000;
  void authorizer.getCached(query, sequence());
  await fetches[1]?.respond({ outcome: 'invalid' });
  expect(await authorizer.getCached(query, sequence())).toEqual({ outcome: 'invalid' });
  expect(fetches).toHaveLength(2);
});

test('a cached result older than 30 s is fetched again before it is used', async () => {
  const { authorizer, fetches, clock, sequence } = await warmedUp();
  clock.now = 30_000;
  const result = authorizer.getCached(query, sequence());
  await fetches[1]?.respond({ outcome: 'invalid' });
  expect(await result).toEqual({ outcome: 'invalid' });
});

test('while identity-service does not respond the cached result is served, with one retry a second', async () => {
  const { authorizer, fetches, clock, sequence, cached } = await warmedUp();
  clock.now = 30_000;
  const result = authorizer.getCached(query, sequence());
  await fetches[1]?.respond(unavailable);
  expect(await result).toBe(cached);
  clock.now = 30_999;
  expect(await authorizer.getCached(query, sequence())).toBe(cached);
  expect(fetches).toHaveLength(2);
  clock.now = 31_000;
  expect(await authorizer.getCached(query, sequence())).toBe(cached);
  expect(fetches).toHaveLength(3);
  await fetches[2]?.respond();
  expect(await authorizer.getCached(query, sequence())).not.toBe(cached);
});

test('with cache size 0 every request fetches', async () => {
  const { authorizer, fetches, sequence } = setUp(0);
  void authorizer.getCached(query, sequence());
  void authorizer.getCached(query, sequence());
  expect(fetches).toHaveLength(2);
});
