import { expect, test } from '@jest/globals';
import { checkName } from '../platform/text.ts';
import { checkDescription } from './api-key.ts';

test.each(['a', 'Warehouse sync', 'ключ 🔑', 'x'.repeat(100), '🔑'.repeat(100)])('%p is a name', (name) => {
  expect(checkName(name)).toBe(name);
});

test('blanks around a name are dropped', () => {
  expect(checkName('  Warehouse ')).toBe('Warehouse');
});

test.each(['', '   ', 'x'.repeat(101), 'two\nlines', 'nul\0'])('%p is no name', (name) => {
  expect(() => checkName(name)).toThrow(expect.objectContaining({ reason: 'invalid_name' }));
});

test('a description may be empty, have lines and be 500 characters long', () => {
  expect(checkDescription('')).toBe('');
  expect(checkDescription('one\ntwo')).toBe('one\ntwo');
  expect(checkDescription('é'.repeat(500))).toHaveLength(500);
});

test.each(['x'.repeat(501), 'nul\0'])('%p is no description', (description) => {
  expect(() => checkDescription(description)).toThrow(
    expect.objectContaining({ reason: 'invalid_description' }),
  );
});
