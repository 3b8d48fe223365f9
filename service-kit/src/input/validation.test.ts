import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '../values/app-error.ts';
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
  expect(() => parse(schema, { [long]: 1 })).toThrow(`unknown field "${'x'.repeat(100)}…"`);
  const records = z.record(z.string(), z.string());
  expect(() => parse(records, { [long]: 1 })).toThrow(/^x{100}…: /);
});

test.each([
  ['an invalid value', { line_items: [{ quantity: 1 }, { quantity: 1.5 }] }, 'line_items[1].quantity'],
  ['the first of several', { line_items: [{ quantity: 'x' }, { quantity: 1.5 }] }, 'line_items[0].quantity'],
  ['an unknown field', { color: 1, size: 2 }, 'color'],
  ['the input as a whole', [], ''],
])('the error has the name of the field: %s', (_, input, field) => {
  expect(() => parse(schema, input)).toThrow(expect.objectContaining({ field }));
});

const either = z.union([z.literal(''), z.string().refine((text) => text !== 'x', 'must not be x')]);

test.each<[string, z.ZodType, unknown, string]>([
  ['a field that is missing', z.object({ name: z.string() }), {}, 'name: is required'],
  ['a number for a text', z.string(), 1, 'must be text'],
  ['a text for a number', z.number(), '1', 'must be a number'],
  ['not a number', z.number(), Number.NaN, 'must be a number'],
  ['a fraction', z.int(), 1.5, 'must be a whole number'],
  ['a text for a switch', z.boolean(), 'true', 'must be true or false'],
  ['an object for a list', z.array(z.string()), {}, 'must be a list'],
  ['a list for an object', z.object({}), [], 'must be an object'],
  ['a list for a map', z.record(z.string(), z.string()), [], 'must be an object'],
  ['null for a text', z.string(), null, 'must be text'],
  ['a value for nothing', z.null(), 1, 'must be null'],
  ['an unknown field', z.strictObject({}), { color: 1 }, 'unknown field "color"'],
  ['two unknown fields', z.strictObject({}), { a: 1, b: 2 }, 'unknown fields "a", "b"'],
  ['a value that is not one of a list', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['a value that is not the one', z.literal('a'), 'c', 'must be a'],
  ['an empty text', z.string().min(1), '', 'must not be empty'],
  ['a short text', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a long text', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['a text of another length', z.string().length(3), 'ab', 'must have exactly 3 characters'],
  ['an empty list', z.array(z.string()).min(1), [], 'must not be empty'],
  ['a long list', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
  ['a small number', z.number().min(1), 0, 'must be at least 1'],
  ['a large number', z.number().max(100), 101, 'must be at most 100'],
  ['a number that is no more', z.number().gt(1), 1, 'must be more than 1'],
  ['a whole number beyond what is exact', z.int(), 2 ** 60, 'must be at most 9007199254740991'],
  ['another multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  ['no email address', z.email(), 'x', 'must be an email address'],
  ['no URL', z.url(), 'x', 'must be a URL'],
  ['no time', z.iso.datetime(), 'x', 'must be a time such as 2026-01-31T12:00:00Z'],
  ['another pattern', z.string().regex(/^a$/), 'x', 'is not in the accepted form'],
  ['another beginning', z.string().startsWith('a'), 'x', 'is not in the accepted form'],
  ['a rule of ours without words', z.string().refine(() => false), 'x', 'has a value that is not accepted'],
  ['a rule of ours in its words', z.string().refine(() => false, 'must rhyme'), 'x', 'must rhyme'],
  [
    'a key of a map',
    z.record(z.string().max(1), z.string()),
    { ab: 'x' },
    'ab: must have at most 1 character',
  ],
  ['one of two types', z.union([z.string(), z.number()]), true, 'must be text or a number'],
  ['nothing or a text', either, 1, 'must be empty or text'],
  ['the alternative that is meant', either, 'x', 'must not be x'],
])('the error about %s has our own text', (_, shape, input, text) => {
  expect(() => parse(shape, input)).toThrow(new AppError('invalid_argument', 'invalid_input', text));
});

test('errors name the fields of an rpc as in the .proto file', () => {
  const request = z.object({ accountHolder: z.string(), settings: z.object({ redirectUris: z.string() }) });
  expect(() => parseRequest(request, { accountHolder: 1, settings: {} })).toThrow(
    /^account_holder: .*; settings\.redirect_uris: /,
  );
});
