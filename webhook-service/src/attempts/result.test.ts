import { expect, test } from '@jest/globals';
import { isReceiverDown, type Outcome, parseRetryAfter } from './result.ts';

test.each<[Outcome, number | undefined, boolean]>([
  ['delivered', 200, false],
  ['gone', 410, false],
  ['cancelled', undefined, false],
  ['refused', 400, false],
  ['refused', 302, false],
  ['refused', 429, true],
  ['refused', 500, true],
  ['refused', 503, true],
  ['address_not_allowed', undefined, true],
  ['name_not_found', undefined, true],
  ['connection_failed', undefined, true],
  ['tls_failed', undefined, true],
  ['timed_out', 200, true],
  ['invalid_response', undefined, true],
])(
  'an attempt that ends as %s with status %p shows that the receiver is down: %p',
  (outcome, status, isDown) => {
    expect(isReceiverDown({ outcome, status })).toBe(isDown);
  },
);

test('Retry-After with a date counts from now', () => {
  const now = Date.UTC(2026, 10, 22, 10);
  expect(parseRetryAfter('Sun, 22 Nov 2026 10:02:00 GMT', now)).toBe(120_000);
  expect(parseRetryAfter('Sunday, 22-Nov-26 10:02:00 GMT', now)).toBe(120_000);
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});
