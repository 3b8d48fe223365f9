import { describe, expect, test } from '@jest/globals';
import { lineError } from '../../platform/text.ts';
import { validateSignUp } from './sign-up.ts';

const valid = {
  name: ' Ada Lovelace ',
  password: ' seven brass wheels ',
  business: { accountHolder: ' Analytical Engines ', username: ' Engines-1 ' },
};

describe('a sign-up', () => {
  test('is trimmed, except for the password', () => {
    expect(validateSignUp(valid, 'ada@example.com')).toEqual({
      errors: {},
      draft: {
        name: 'Ada Lovelace',
        password: ' seven brass wheels ',
        business: { accountHolder: 'Analytical Engines', username: 'engines-1' },
      },
    });
  });

  test('reports all validation errors at once', () => {
    const { errors } = validateSignUp(
      { name: '', password: '', business: { accountHolder: '', username: '' } },
      'ada@example.com',
    );
    expect(Object.keys(errors)).toEqual(['name', 'password', 'business_name', 'username']);
  });

  test('without a business is valid for a person who joins one', () => {
    const joining = { ...valid, business: undefined };
    expect(validateSignUp(joining, 'ada@example.com').errors).toEqual({});
    expect(Object.keys(validateSignUp({ ...joining, name: '' }, 'ada@example.com').errors)).toEqual(['name']);
  });
});

test('a line is measured in characters and may not have control characters', () => {
  expect(lineError('🐢'.repeat(100), 'it', 100)).toBeUndefined();
  expect(lineError('🐢'.repeat(101), 'it', 100)).toMatch(/at most 100/);
  for (const text of ['a\u0000b', 'a\nb', 'a\u001bb', '\ud800'])
    expect(lineError(text, 'it', 100)).toBeDefined();
});
