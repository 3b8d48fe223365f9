import { expect, test } from '@jest/globals';
import { classifyReuse } from './refresh-token-grant.ts';

const rotation = {
  usedAt: 1_000,
  arrivedAt: undefined,
  idempotencyHash: undefined,
  sealedResponse: undefined,
};

test.each([
  ['arrived before the rotation was committed', 1_004.9, 'overlapped'],
  ['arrived at that very moment', 1_005, 'reused'],
  ['arrived later', 9_000, 'reused'],
  ['arrived before the rotation began', 500, 'overlapped'],
])('a refresh that %s', (_, arrivedAt, verdict) => {
  expect(classifyReuse({ ...rotation, settledAt: 1_005, readAt: 9_001 }, arrivedAt)).toBe(verdict);
});

test.each([
  ['while the rotation is being committed', 1_003, 1_004, 'overlapped'],
  ['long after one that was never settled', 11_000, 11_000, 'reused'],
  ['before one that was never settled, and judged long after', 999, 11_000, 'overlapped'],
])('a refresh that arrived %s', (_, arrivedAt, readAt, verdict) => {
  expect(classifyReuse({ ...rotation, settledAt: undefined, readAt }, arrivedAt)).toBe(verdict);
});

test.each([
  ['before the first one', 980, 'overlapped'],
  ['within 50 ms of it, after its response', 1_047, 'overlapped'],
  ['50 ms after it', 1_048, 'reused'],
  ['later', 9_000, 'reused'],
])('a refresh that arrived at a gateway %s', (_, arrivedAt, verdict) => {
  const settled = { ...rotation, arrivedAt: 998, settledAt: 1_005, readAt: 9_001 };
  expect(classifyReuse(settled, arrivedAt)).toBe(verdict);
});
