import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { bytes, integer, nullable, readRows, timestamp } from './rows.ts';

const schema = z.object({
  id: integer,
  at: timestamp,
  hash: bytes,
  name: nullable(z.string()),
  endedAt: nullable(timestamp),
});

const row = { id: 7n, at: new Date(1_000), hash: new Uint8Array([1]), name: null, endedAt: new Date(2_000) };

test('bigint and timestamptz become numbers, and NULL becomes undefined', async () => {
  expect(await readRows(schema, Promise.resolve([row]))).toEqual([
    { id: 7, at: 1_000, hash: Buffer.from([1]), name: undefined, endedAt: 2_000 },
  ]);
});

test('a row that lacks a column, or has another type, is an error', async () => {
  await expect(readRows(schema, Promise.resolve([{ ...row, at: null }]))).rejects.toThrow(z.ZodError);
  await expect(readRows(schema, Promise.resolve([row, {}]))).rejects.toThrow(z.ZodError);
  await expect(readRows(schema, Promise.resolve(undefined))).rejects.toThrow(z.ZodError);
});
