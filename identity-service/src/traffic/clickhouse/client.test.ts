import { expect, test } from '@jest/globals';
import { clickHouseAddress } from './client.ts';
import { sql } from './sql.ts';

test.each([
  ['clickhouse://ada:p%40ss@ch:9000/log', 'http://ch:9000', 'ada:p@ss'],
  ['clickhouse://ch/log', 'http://ch:8123', 'default:'],
  ['clickhouses://ada:pass@[fd00::1]/log', 'https://[fd00::1]:8443', 'ada:pass'],
])('%s is an address of the log', (text, origin, user) => {
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  expect(clickHouseAddress.parse(text)).toEqual({ origin, database: 'log', authorization });
});

test.each([
  'http://ada:hidden@ch:8123/log',
  'clickhouse://ada:hidden@ch:8123',
  'clickhouse://ada:hidden@ch:8123/log;drop',
  'clickhouse://ada:hidden@ch:8123/log?x=1',
  'clickhouse://ada:hidden%@ch:8123/log',
  'clickhouse:///hidden',
])('%s is not an address of the log, and is not quoted', (text) => {
  const { success, error } = clickHouseAddress.safeParse(text);
  expect(success).toBe(false);
  expect(JSON.stringify(error?.issues)).not.toContain('hidden');
});

test('values of a statement are literals', () => {
  expect(sql`SELECT ${"it's \\"}, ${1.5}, ${sql`a = ${2}`}`.text).toBe("SELECT 'it\\'s \\\\', 1.5, a = 2");
  expect(() => sql`SELECT ${Number.NaN}`).toThrow(RangeError);
});
