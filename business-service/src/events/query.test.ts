import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeFeedCursor, encodeFeedCursor, eventQueryParameters } from './query.ts';

test('a cursor is decoded to its position, and any other text is rejected', () => {
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

const parameters = eventQueryParameters(['invoice.paid', 'order.created', 'order.paid']);

describe('parameters', () => {
  test('default to twenty events and no wait', () => {
    expect(parameters.parse({})).toEqual({ limit: 20, wait: 0 });
  });

  test('are parsed to their exact types, and a repeated event type counts once', () => {
    const after = encodeFeedCursor({ businessId: 7, sequence: 9 });
    const given = { after, types: 'invoice.paid,order.created,invoice.paid', limit: '100', wait: '30' };
    expect(parameters.parse(given)).toEqual({
      after: { businessId: 7, sequence: 9 },
      types: ['invoice.paid', 'order.created'],
      limit: 100,
      wait: 30,
    });
  });

  test.each([
    ['types', 'order.paid,', 'must be event types'],
    ['types', 'order.*', 'names an unknown'],
    ['types', 'constructor', 'names an unknown'],
    ['limit', '101', 'must be a number from 1 to 100'],
    ['wait', '31', 'must be a number from 0 to 30'],
    ['wait', '-1', 'must be a number from 0 to 30'],
    ['wait', '1.5', 'must be a number from 0 to 30'],
    ['after', Buffer.from('n1:7').toString('base64url'), 'is not a cursor'],
    ['after', Buffer.from('e1:1:-1').toString('base64url'), 'is not a cursor'],
  ])('are refused, with the name of the parameter: %s=%s', (name, value, text) => {
    const { error } = parameters.safeParse({ [name]: value });
    expect(error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
      [name, expect.stringContaining(text)],
    ]);
  });
});
