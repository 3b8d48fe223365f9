import { describe, expect, test } from '@jest/globals';
import { normalizeEmail, validateEmail, validateUsername } from './person.ts';

describe('an email address', () => {
  test.each(['ada@example.com', "o'hara+x@sub.example.co", 'a@b.io'])('%s is valid', (email) => {
    expect(validateEmail(email)).toBeUndefined();
  });

  test.each([
    '',
    'ada',
    'ada@localhost',
    'ada@@example.com',
    'ada@example..com',
    'ada@-example.com',
    'a b@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com,eve@example.com',
    '"ada"@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(126)}com`,
  ])('%j is invalid', (email) => {
    expect(validateEmail(email)).toBeDefined();
  });

  test('is trimmed and in lower case', () => {
    expect(normalizeEmail(' Ada@Example.COM ')).toBe('ada@example.com');
  });
});

test.each(['ab', '1abc', 'a_b', 'a.b', 'ä-b', 'A-b', 'a'.repeat(33), '-abc'])(
  '%s is not a username',
  (username) => {
    expect(validateUsername(username)).toBeDefined();
  },
);
