import { describe, expect, test } from '@jest/globals';
import { amountOf } from './commands/orders.ts';
import type { Context } from './context.ts';
import { printRecord, printRecords, toJson } from './output.ts';
import type { Columns } from './table.ts';

const rows = [{ id: 'ord_1', name: 'Ada' }];
const columns: Columns<(typeof rows)[number]> = { id: ({ id }) => id, name: ({ name }) => name };

/** A context whose output and notes are recorded. */
function recording(options: { readonly columns?: number; readonly hasColors?: boolean } = {}) {
  const out: string[] = [];
  const notes: string[] = [];
  const { columns: width, hasColors = false } = options;
  const context: Context = {
    terminal: {
      stdin: process.stdin,
      out: (line) => void out.push(line),
      note: (line) => void notes.push(line),
      columns: width,
      hasColors,
    },
    env: {},
    name: 'business-api',
    version: '1',
    platform: 'https://api.example.com',
    signal: new AbortController().signal,
  };
  return { context, out, notes };
}

describe('records', () => {
  test('are a table, colored and cut on a terminal alone', () => {
    const piped = recording();
    printRecords(piped.context, { profile: 'default' }, rows, columns);
    expect(piped.out).toEqual(['ID     NAME', 'ord_1  Ada']);
    const shown = recording({ columns: 8, hasColors: true });
    printRecords(shown.context, { profile: 'default' }, rows, columns);
    expect(shown.out).toEqual(['\u001b[1mID     …\u001b[22m', 'ord_1  …']);
  });

  test('are a line each for programs, and none where there are none', () => {
    const { context, out, notes } = recording({ columns: 8, hasColors: true });
    printRecords(context, { profile: 'default', json: true }, rows, columns);
    printRecords(context, { profile: 'default', json: true }, [], columns);
    expect([out, notes]).toEqual([['{"id":"ord_1","name":"Ada"}'], []]);
  });

  test('leave the output empty where there are none', () => {
    const { context, out, notes } = recording();
    printRecords(context, { profile: 'default' }, [], columns);
    expect([out, notes]).toEqual([[], ['None.']]);
  });
});

test('one record is a line per field', () => {
  const { context, out } = recording();
  printRecord(context, { profile: 'default' }, { id: 'ord_1', name: '' }, columns);
  expect(out).toEqual(['id     ord_1', 'name']);
});

test('JSON on a terminal has no control characters', () => {
  const value = { name: '\u001b[2J\u009b2J\u202e' };
  const json = toJson(value);
  expect(json).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(json)).toEqual(value);
});

test.each([
  [900, 'EUR', '9.00 EUR'],
  [5, 'EUR', '0.05 EUR'],
  [900, 'JPY', '900 JPY'],
  [1234, 'KWD', '1.234 KWD'],
])('%i minor units of %s are %s', (total, currency, text) =>
  expect(amountOf({ total, currency })).toBe(text),
);
