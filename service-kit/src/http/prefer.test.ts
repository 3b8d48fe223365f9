import { expect, test } from '@jest/globals';
import { simulatedCase } from './prefer.ts';

test.each([
  ['simulate=slow', 'slow'],
  ['Simulate = "Rate-Limited"; x=1', 'rate-limited'],
  ['respond-async, simulate=frozen, wait=10', 'frozen'],
  ['simulate="frozen', undefined],
  ['x="a, simulate=frozen"', undefined],
  ['simulate=a b', undefined],
  ['simulate', undefined],
  ['', undefined],
])('Prefer: %s asks for %s', (prefer, expected) => {
  expect(simulatedCase({ headers: { prefer } })).toBe(expected);
});
