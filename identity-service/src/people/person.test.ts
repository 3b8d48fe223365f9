import { describe, expect, test } from '@jest/globals';
import { normalizeEmail, validateEmail, validateLegalFacts, validateUsername } from './person.ts';

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
    'ada@127.0.0.1',
    'ada@example.1',
    'ada@example.c',
    'a b@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com,eve@example.com',
    '"ada"@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(126)}com`,
  ])('%j is invalid', (email) => {
    expect(validateEmail(email)).toBeDefined();
  });

  test.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['ada@exämple.de', 'ada@xn--exmple-cua.de'],
    ['Ada@EXÄMPLE.de', 'ada@xn--exmple-cua.de'],
    ['ada@xn--exmple-cua.de', 'ada@xn--exmple-cua.de'],
    ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
    ['ada@例え。jp', 'ada@xn--r8jz45g.jp'],
  ])('is trimmed, in lower case, with the domain of DNS: %j', (text, email) => {
    expect(normalizeEmail(text)).toBe(email);
    expect(validateEmail(email)).toBeUndefined();
  });

  test.each(['пример@example.com', 'schäfer2@exämple.de', '\u212aate@example.com'])(
    'with other letters before the @ is refused, and the error says why: %s',
    (text) => {
      expect(validateEmail(normalizeEmail(text))).toContain('such letters before the @');
    },
  );
});

test.each(['ab', '1abc', 'a_b', 'a.b', 'ä-b', 'A-b', 'a'.repeat(33), '-abc'])(
  '%s is not a username',
  (username) => {
    expect(validateUsername(username)).toBeDefined();
  },
);

describe('legal facts', () => {
  const facts = { legalName: 'Tea Ltd', registrationNumber: 'HRB 42', country: 'GB' };

  test('are trimmed, with the country in capitals', () => {
    const submitted = { legalName: ' Tea Ltd ', registrationNumber: ' HRB 42', country: ' gb ' };
    expect(validateLegalFacts(submitted)).toEqual({ facts, errors: {} });
  });

  test.each([
    ['legal_name', { legalName: ' ' }],
    ['legal_name', { legalName: 'x'.repeat(201) }],
    ['registration_number', { registrationNumber: '' }],
    ['registration_number', { registrationNumber: 'none' }],
    ['registration_number', { registrationNumber: 'http://1.example/' }],
    ['registration_number', { registrationNumber: '1'.repeat(51) }],
    ['country', { country: 'Britain' }],
    ['country', { country: 'UK' }],
    ['country', { country: 'EU' }],
  ])('have an error at %s with %j', (field, change) => {
    expect(Object.keys(validateLegalFacts({ ...facts, ...change }).errors)).toEqual([field]);
  });
});
