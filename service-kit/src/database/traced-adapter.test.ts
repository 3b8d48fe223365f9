import { expect, test } from '@jest/globals';
import { summaryOf } from './traced-adapter.ts';

test.each([
  ['SELECT * FROM orders WHERE id = $1', 'SELECT orders'],
  ['SELECT "public"."api_keys"."id" FROM "public"."api_keys" WHERE $1 = $2', 'SELECT api_keys'],
  ['\n  INSERT INTO events (id) VALUES ($1)', 'INSERT events'],
  ['update only businesses SET a = 1', 'UPDATE businesses'],
  ['DELETE FROM "grants"', 'DELETE grants'],
  ["SELECT 'at_secret' AS token", 'SELECT'],
  ['SELECT extract(epoch FROM clock_timestamp()) FROM people', 'SELECT people'],
  ['WITH asked AS (SELECT * FROM json_to_recordset($1::json)) SELECT 1', 'WITH'],
  ['BEGIN', 'BEGIN'],
  ['', 'QUERY'],
])('the summary of %j is %s', (sql, summary) => {
  expect(summaryOf(sql)).toBe(summary);
});
