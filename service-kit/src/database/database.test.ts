import { expect, test } from '@jest/globals';
import { statementName } from './database.ts';

test('equal statements have the same name, and different statements have different names', () => {
  expect(statementName({ sql: 'SELECT 1' })).toBe(statementName({ sql: 'SELECT 1' }));
  expect(statementName({ sql: 'SELECT 1' })).not.toBe(statementName({ sql: 'SELECT 2' }));
});

test('the name of the longest statement fits into 63 bytes', () => {
  expect(statementName({ sql: 'x'.repeat(100_000) }).length).toBeLessThanOrEqual(63);
});
