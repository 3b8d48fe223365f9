import { expect, test } from '@jest/globals';
import { beyondLimits } from './unread.ts';

const limits = { client: 500, process: 1_000 };
const now = 60_000;

/** Connections by name: client, bytes that it has not read, and milliseconds without reading. */
type Connections = Readonly<Record<string, readonly [client: string, bytes: number, ms: number]>>;

const many = (count: number, bytes: number, ms: number): Connections =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`many ${i}`, [`client ${i}`, bytes, ms]]));

test.each<[string, Connections, string[]]>([
  ['none within the limits', { a: ['x', 500, 50_000], b: ['y', 500, 50_000] }, []],
  [
    'those of a client beyond its limit that have read nothing for the longest',
    { young: ['x', 200, 10], old: ['x', 200, 900], older: ['x', 200, 1_000], other: ['y', 200, 50_000] },
    ['older: client'],
  ],
  [
    'those of the client that holds the most, first, when the process is full',
    { slow: ['y', 100, 4_000], a: ['x', 450, 1_000], b: ['z', 451, 1_000] },
    ['b: process'],
  ],
  [
    'those that have read nothing for the longest, when many clients hold the same',
    { ...many(18, 50, 1_000), reading: ['y', 100, 0], stuck: ['z', 50, 30_000] },
    ['stuck: process'],
  ],
  [
    'those of a client that holds much, before those that read slowly',
    { ...many(10, 10, 400), a: ['x', 480, 0], b: ['y', 480, 0] },
    ['a: process'],
  ],
])('the connections to close are %s', (_, connections, closed) => {
  const held = Object.entries(connections).map(([name, [client, bytes, ms]]) => ({
    name,
    client,
    bytes,
    since: now - ms,
  }));
  const beyond = beyondLimits(held, limits, now);
  expect(beyond.map(([{ name }, bound]) => `${name}: ${bound}`)).toEqual(closed);
});
