import { describe, expect, test } from '@jest/globals';
import { json, type Step, scriptedServer } from '../testing/scripted-server.ts';
import { Client } from './client.ts';
import { type EventStore, endOfFeed, Follower, type FollowOptions } from './follow.ts';
import type { BusinessEvent } from './operations.ts';

const page = (next_cursor: string, ...ids: readonly string[]) =>
  json(200, { data: ids.map((id) => ({ id })), next_cursor });
const gone = json(410, { error: 'after: too old', status: 'Gone', code: 410 });

/** Keeps what was applied, and ends the follower once there are `enough` events. */
class MemoryEventStore implements EventStore {
  cursor: string | undefined;
  readonly taken: string[] = [];
  readonly #enough: number;
  readonly #end: AbortController;

  constructor(enough: number, end: AbortController) {
    this.#enough = enough;
    this.#end = end;
  }

  async load() {
    return this.cursor;
  }

  async apply(events: readonly BusinessEvent[], to: string, from: string | undefined) {
    if (from !== this.cursor) return;
    this.taken.push(...events.map(({ id }) => id));
    this.cursor = to;
    if (this.taken.length >= this.#enough) this.#end.abort(new Error('seen'));
  }
}

async function follow(
  count: number,
  options: FollowOptions & Pick<EventStore, 'rebuild'>,
  ...steps: readonly [Step, ...Step[]]
) {
  const { rebuild, ...rest } = options;
  const { baseUrl, seen } = await scriptedServer(...steps);
  const client = new Client({ baseUrl, credential: 'sk_1', retries: 0 });
  const end = new AbortController();
  const store = Object.assign(new MemoryEventStore(count, end), rebuild && { rebuild });
  const follower = new Follower(client, store, { ...rest, signal: end.signal });
  return { follower, seen, store, taken: store.taken, following: follower.follow() };
}

describe('events are taken', () => {
  test('in order from the stored cursor on, while each request waits for the next', async () => {
    const options = { types: ['order.paid' as const] };
    const { following, seen, taken, store } = await follow(
      3,
      options,
      page('1', 'a', 'b'),
      page('1'),
      page('2', 'c'),
    );
    await expect(following).rejects.toThrow('seen');
    expect([taken, store.cursor]).toEqual([['a', 'b', 'c'], '2']);
    expect(seen.map(({ path }) => path)).toEqual([
      '/v2/events?limit=100&types=order.paid&wait=30',
      '/v2/events?limit=100&after=1&types=order.paid&wait=30',
      '/v2/events?limit=100&after=1&types=order.paid&wait=30',
    ]);
  });

  test('from now on, where there is no cursor yet', async () => {
    const options = { isFromNow: true };
    const { following, taken } = await follow(1, options, page('1', 'a'), page('2'), page('3', 'b'));
    await expect(following).rejects.toThrow('seen');
    expect(taken).toEqual(['b']);
  });

  test('again from the stored cursor where another process was first', async () => {
    const { follower, following, taken, store } = await follow(
      2,
      { isPushed: true, idleMs: 10 },
      (res, request) => {
        // Between the load and the apply of the follower.
        if (!request.path.includes('after')) store.cursor = '1';
        (request.path.includes('after') ? page('3', 'b', 'c') : page('2', 'a', 'b'))(res, request);
      },
    );
    follower.wake();
    await expect(following).rejects.toThrow('seen');
    expect(taken).toEqual(['b', 'c']);
  });

  test('as soon as a webhook wakes the follower, also during a request, and without one within the idle time', async () => {
    const options = { isPushed: true, idleMs: 60_000 };
    const { follower, following, seen, taken } = await follow(1, options, page('1'), page('2', 'a'));
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    follower.wake();
    follower.wake();
    await expect(following).rejects.toThrow('seen');
    expect(taken).toEqual(['a']);
    const during: Awaited<ReturnType<typeof follow>> = await follow(
      1,
      options,
      (res, request) => {
        during.follower.wake();
        page('1')(res, request);
      },
      page('2', 'a'),
    );
    await expect(during.following).rejects.toThrow('seen');
    const healed = await follow(1, { isPushed: true, idleMs: 20 }, page('1'), page('2', 'a'));
    await expect(healed.following).rejects.toThrow('seen');
  });
});

test('temporary trouble is reported and waited for', async () => {
  const pauses: unknown[] = [];
  const onTrouble = (error: Error, pauseMs: number) => pauses.push([error.name, pauseMs]);
  const trouble = json(429, {}, { 'Retry-After': '0' });
  const { following, taken } = await follow(1, { onTrouble }, trouble, trouble, page('1', 'a'));
  await expect(following).rejects.toThrow('seen');
  expect([pauses, taken]).toEqual([
    [
      ['RateLimitError', 1_000],
      ['RateLimitError', 1_000],
    ],
    ['a'],
  ]);
});

test('what waiting does not change ends the follower', async () => {
  const { following } = await follow(1, {}, json(403, {}));
  await expect(following).rejects.toMatchObject({ name: 'PermissionError' });
});

describe('after an outage of thirty days', () => {
  test('the records are read anew, with the cursor from before', async () => {
    const rebuilt: string[] = [];
    const rebuild = async (cursor: string) => void rebuilt.push(cursor);
    const steps = [gone, page('8', 'x'), page('9'), page('10', 'a')] as const;
    const { following, taken } = await follow(1, { rebuild }, ...steps);
    await expect(following).rejects.toThrow('seen');
    expect([rebuilt, taken]).toEqual([['9'], ['a']]);
  });

  test('a store that cannot do that ends the follower', async () => {
    const { following } = await follow(1, {}, gone);
    await expect(following).rejects.toMatchObject({ name: 'GoneError' });
  });
});

test('the end of the feed is the cursor of its empty page', async () => {
  const { baseUrl } = await scriptedServer(page('1', 'a'), page('2', 'b'), page('3'));
  expect(await endOfFeed(new Client({ baseUrl, credential: 'sk_1' }))).toBe('3');
});
