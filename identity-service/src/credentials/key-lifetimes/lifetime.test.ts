import { expect, test } from '@jest/globals';
import { checkLifetime, type KeyLifetime } from './lifetime.ts';

const dayMs = 86_400_000;

const createdAt = 1_000;

const check = (lifetime: KeyLifetime | undefined, days: number | undefined, moreMs = 0) =>
  checkLifetime(lifetime, {
    createdAt,
    expiresAt: days === undefined ? undefined : createdAt + days * dayMs + moreMs,
  });

const refused = (reason: string, text: string) =>
  expect.objectContaining({ kind: 'invalid_argument', reason, message: text });

test('without a rule a key may last for any time', () => {
  expect(() => check(undefined, undefined)).not.toThrow();
  expect(() => check(undefined, 100_000)).not.toThrow();
});

test('a rule without a limit requires an end, and permits any', () => {
  const rule = { maxDays: undefined };
  expect(() => check(rule, undefined)).toThrow(
    refused('expiration_required', 'the business requires an expiration of every new key'),
  );
  expect(() => check(rule, 100_000)).not.toThrow();
});

test('a limit in days requires an end within it, with an hour for the clocks of browsers', () => {
  const rule = { maxDays: 90 };
  expect(() => check(rule, 90, 3_600_000)).not.toThrow();
  expect(() => check(rule, 90, 3_600_001)).toThrow(
    refused('expiration_too_late', 'the business allows new keys to last at most 90 days'),
  );
  expect(() => check(rule, undefined)).toThrow(
    refused('expiration_required', 'the business requires an expiration of at most 90 days of every new key'),
  );
});
