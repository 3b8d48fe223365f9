import { beforeEach, expect, test } from '@jest/globals';
import { KnownEvents } from './known-events.ts';

const now = 1_000_000;

const eventOf = (id: number, at = now) => ({
  id,
  at,
  businessId: 1,
  action: 'api_key.deleted',
  subjectId: `key_${id}`,
  actorId: 'p',
  details: {},
});

const positionOf = (after: number) => ({
  after,
  rotatedUntil: 0,
  last: 0,
  lastAt: undefined,
  complete: true,
});

let known: KnownEvents;
beforeEach(() => {
  known = new KnownEvents();
  start(10);
});

const start = (after: number) => known.startFrom(positionOf(after), false);

const add = (...ids: number[]) =>
  known.add(
    ids.map((id) => eventOf(id)),
    known.nextMark(),
  );

test('reading continues after the last event up to which none is missing', () => {
  add(11, 12);
  expect(start(10)).toBe(12);
  add(13, 15);
  expect(start(10)).toBe(13);
  add(14, 15);
  expect(start(10)).toBe(15);
});

test('reading continues from the log when another process is ahead', () => {
  add(11);
  expect(start(20)).toBe(20);
});

test('each page expects the mark of the page before it, and no mark after a failure', () => {
  const first = known.nextMark();
  expect(first.expected).toBe('');
  known.add([], first);
  const second = known.nextMark();
  expect([second.expected, second.next === first.next]).toEqual([first.next, false]);
  known.forget();
  expect(known.nextMark().expected).toBe('');
});

test.each([
  ['is gone', undefined, 0],
  ['fell back', positionOf(9), 9],
])('a log that %s is read from its own position, in another round', (_, position, from) => {
  add(11, 12);
  expect(known.startFrom(position, true)).toBeUndefined();
  expect(known.startFrom(position, false)).toBe(from);
  expect(known.nextMark().expected).toBe('');
  expect(known.settled([], Number.MAX_SAFE_INTEGER)).toBeUndefined();
});

test('events settle after 20 seconds, even if they are not read again', () => {
  const page = [eventOf(11, now - 40_000), eventOf(12, now - 20_001), eventOf(13, now - 20_000)];
  expect(known.settled(page, now)).toBe(12);
  known.add(page, known.nextMark());
  expect([known.settled([], now), known.settled([eventOf(14, now)], now + 1)]).toEqual([12, 13]);
  start(13);
  expect(known.settled([], now + 60_000)).toBeUndefined();
});
