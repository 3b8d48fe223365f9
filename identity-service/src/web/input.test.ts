import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { fieldsOf, parseForm } from './input.ts';

const schema = z.strictObject({ email: z.string(), note: z.string().optional() });

const read = (body: string) => fieldsOf(schema, parseForm(body) ?? new Map());

describe('a form', () => {
  test('is parsed as browsers encode it, without the CSRF token', () => {
    expect(read('email=a%40b.example&note=a+b%0Ac&_csrf=x')).toEqual({
      email: 'a@b.example',
      note: 'a b\nc',
    });
  });

  test('with a repeated field is refused', () => {
    expect(parseForm('email=a&email=b')).toBeUndefined();
    expect(parseForm('email=a&%65mail=b')).toBeUndefined();
  });

  test.each([
    '',
    'note=x',
    'email=a&is_admin=1',
    'email[]=a',
    'email=a&__proto__=x',
    'email=a&constructor=x',
  ])('with missing or unknown fields is refused: %j', (body) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test('cannot change a prototype', () => {
    parseForm('__proto__=x&__proto__[polluted]=y');
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});
