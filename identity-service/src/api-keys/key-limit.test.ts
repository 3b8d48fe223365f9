import { expect, test } from '@jest/globals';
import { checkLimit } from './api-key.ts';

test.each([1, 10_000, 10_000_000])('%p requests per hour is a limit', (limit) => {
  expect(checkLimit(limit)).toBe(limit);
});

test.each([0, -1, 10_000_001, 1.5, Number.NaN])('%p requests per hour is no limit', (limit) => {
  expect(() => checkLimit(limit)).toThrow(expect.objectContaining({ reason: 'invalid_limit' }));
});
