import { expect, test } from '@jest/globals';
import { classifyReuse } from './refresh-token-grant.ts';

const successor = { isUsed: false, sealedResponse: undefined, idempotencyHash: undefined };
const rotation = { usedAt: 1_000, readAt: 1_001, successor };

test.each([
  ['right after the rotation', rotation, 'repeated'],
  ['at the end of the minute', { ...rotation, readAt: 60_999 }, 'repeated'],
  ['after a minute', { ...rotation, readAt: 61_000 }, 'reused'],
  ['after its successor was used', { ...rotation, successor: { ...successor, isUsed: true } }, 'reused'],
  ['without a successor on record', { ...rotation, successor: undefined }, 'repeated'],
  [
    'without a successor on record, after a minute',
    { ...rotation, successor: undefined, readAt: 61_000 },
    'reused',
  ],
])('a used refresh token that is sent %s counts as repeated or as reused', (_, given, verdict) => {
  expect(classifyReuse(given)).toBe(verdict);
});
