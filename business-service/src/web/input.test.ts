import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { readInput } from './input.ts';

const schema = z.strictObject({
  line_items: z.array(z.object({ quantity: z.int('must be whole') })).optional(),
});

test('a fault is named by its path', () => {
  const input = { line_items: [{ quantity: 1 }, { quantity: 1.5 }] };
  expect(() => readInput(schema, input)).toThrow('line_items[1].quantity: must be whole');
});

test('an unknown field is named', () => {
  expect(() => readInput(schema, { colour: 1 })).toThrow('"colour"');
});

test('a caller who sends a thousand faults does not get a thousand sentences back', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field_${i}`, 1]));
  expect(() => readInput(schema, many)).toThrow(/^.{1,500}$/s);
});

test('what a client calls a field is repeated to it up to a hundred characters', () => {
  const long = 'x'.repeat(300);
  expect(() => readInput(schema, { [long]: 1 })).toThrow(`Unrecognized key: "${'x'.repeat(100)}…"`);
  const records = z.record(z.string(), z.string());
  expect(() => readInput(records, { [long]: 1 })).toThrow(/^x{100}…: /);
});
