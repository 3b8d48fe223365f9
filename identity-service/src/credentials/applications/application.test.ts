import { expect, test } from '@jest/globals';
import { checkConnectedUserLimit, checkRoomForApplication, hasRoom } from './application.ts';

test('a business has at most three applications', () => {
  expect(() => checkRoomForApplication(2)).not.toThrow();
  expect(() => checkRoomForApplication(3)).toThrow(
    expect.objectContaining({ kind: 'failed_precondition', reason: 'application_limit_reached' }),
  );
});

test('the fiftieth business connects, the fifty-first does not', () => {
  expect(hasRoom({ connectedUsers: 49, connectedUserLimit: 50 })).toBe(true);
  expect(hasRoom({ connectedUsers: 50, connectedUserLimit: 50 })).toBe(false);
});

test.each([0, -1, 1.5, 1_000_001, Number.NaN])('the limit is never %p', (limit) => {
  expect(() => checkConnectedUserLimit(limit)).toThrow(expect.objectContaining({ reason: 'invalid_limit' }));
});
