import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createFeedChanges, type FeedChanges } from './changes.ts';
import { type FeedQuery, readFeed } from './operations.ts';
import type { FeedPart } from './page-store.ts';
import type { EventStore } from './store.ts';

/*
 * A change ends a wait by itself. Seen from outside, a wake that is lost is only late: the feed is read again after five seconds.
 */

// Timers never end: neither the one to read again nor the wait.
beforeEach(() => {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const query: FeedQuery = {
  businessId: 7,
  applicationId: undefined,
  after: { businessId: 7, sequence: 1 },
  types: ['order.created'],
  limit: 10,
  wait: 30,
};

/** The feed of a business whose first reads find nothing, and later ones one event. */
function feed(changes: FeedChanges, emptyReads: number, duringRead: () => void = () => undefined) {
  const empty = { uniqueId: 'bus_1', isBanned: false, lastSequence: 1, previous: 1, isExpired: false };
  const event = { id: 'evt_2', type: 'order.created', createdAt: new Date(0), sequence: 2, data: '{}' };
  const seen = { reads: 0 };
  const read = async (): Promise<FeedPart> => {
    const isEmpty = ++seen.reads <= emptyReads;
    const part = isEmpty ? { ...empty, events: [] } : { ...empty, lastSequence: 2, events: [event] };
    await setImmediate();
    duringRead();
    return part;
  };
  const unexpected = async () => {
    throw new Error('not part of the stand-in');
  };
  const others = { clock: unexpected, readAll: unexpected, listHeads: unexpected, headsOf: unexpected };
  const events: EventStore = {
    keptDays: 30,
    read,
    findAuthor: unexpected,
    append: unexpected,
    ...others,
  };
  const bodies: (readonly string[])[] = [];
  void readFeed({ events, changes }, query, new AbortController().signal).then((result) => {
    bodies.push(result.kind === 'page' ? result.page.bodies : [result.kind]);
  });
  return { seen, bodies };
}

/** Lets everything happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await setImmediate();
}

const oneEvent = [[expect.stringContaining('"id":"evt_2"')]];

test('a change during a read of the feed ends the wait after that read', async () => {
  const changes = createFeedChanges();
  let hasChanged = false;
  const { seen, bodies } = feed(changes, 1, () => {
    if (!hasChanged) changes.changed(7);
    hasChanged = true;
  });
  await settle();
  expect(bodies).toEqual(oneEvent);
  expect(seen.reads).toBe(2);
});

test('a waiting request reads the feed again for each change of its own business, and for no other business', async () => {
  const changes = createFeedChanges();
  const { seen, bodies } = feed(changes, 2);
  await settle();
  changes.changed(8);
  await settle();
  expect(seen.reads).toBe(1);
  changes.changed(7);
  await settle();
  expect([seen.reads, bodies]).toEqual([2, []]);
  changes.changed(7);
  await settle();
  expect(bodies).toEqual(oneEvent);
  expect(seen.reads).toBe(3);
});
