import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseInput, parseRequest } from './validation.ts';

const schema = z.strictObject({
  line_items: z.array(z.object({ quantity: z.int('must be whole') })).optional(),
});

const parse = (shape: z.ZodType, input: unknown) => parseInput(shape, input, 'invalid_input');

test('an invalid field is named by its path', () => {
  const input = { line_items: [{ quantity: 1 }, { quantity: 1.5 }] };
  expect(() => parse(schema, input)).toThrow('line_items[1].quantity: must be whole');
});

test('an unknown field is named', () => {
  expect(() => parse(schema, { colour: 1 })).toThrow('"colour"');
});

test('a thousand invalid fields give one text of at most 500 characters', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field_${i}`, 1]));
  expect(() => parse(schema, many)).toThrow(/^.{1,500}$/s);
});

test('a name from the client is repeated up to a hundred characters', () => {
  const long = 'x'.repeat(300);
  expect(() => parse(schema, { [long]: 1 })).toThrow(`Unrecognized key: "${'x'.repeat(100)}…"`);
  const records = z.record(z.string(), z.string());
  expect(() => parse(records, { [long]: 1 })).toThrow(/^x{100}…: /);
});

test('fields of an rpc are named as in the .proto', () => {
  const request = z.object({ accountHolder: z.string(), settings: z.object({ redirectUris: z.string() }) });
  expect(() => parseRequest(request, { accountHolder: 1, settings: {} })).toThrow(
    /^account_holder: .*; settings\.redirect_uris: /,
  );
});
