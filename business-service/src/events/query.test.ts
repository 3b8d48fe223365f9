import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeFeedCursor, encodeFeedCursor, eventQueryParameters } from './query.ts';

test('a cursor brings back its position, and no other text is a cursor', () => {
  const position = fc.record({
    businessId: fc.integer({ min: 1, max: 2_147_483_647 }),
    sequence: fc.integer({ min: 0, max: 999_999_999_999_999 }),
  });
  fc.assert(
    fc.property(position, (given) => {
      expect(decodeFeedCursor(encodeFeedCursor(given))).toEqual(given);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const decoded = decodeFeedCursor(text);
      expect(decoded === undefined || encodeFeedCursor(decoded) === text).toBe(true);
    }),
  );
});

describe('parameters', () => {
  test('without any: twenty events, and no wait', () => {
    expect(eventQueryParameters.parse({})).toEqual({ limit: 20, wait: 0 });
  });

  test('arrive in their exact types; a type that is given twice counts once', () => {
    const after = encodeFeedCursor({ businessId: 7, sequence: 9 });
    const given = { after, types: 'order.paid,order.created,order.paid', limit: '100', wait: '30' };
    expect(eventQueryParameters.parse(given)).toEqual({
      after: { businessId: 7, sequence: 9 },
      types: ['order.paid', 'order.created'],
      limit: 100,
      wait: 30,
    });
  });
});
