import { describe, expect, test } from '@jest/globals';
import { emailFault, toEmail, usernameFault } from '../people/person.ts';
import { lineError } from '../platform/text.ts';
import { checkSignUp } from './sign-up.ts';

const right = {
  name: ' Ada Lovelace ',
  password: ' seven brass wheels ',
  business: { accountHolder: ' Analytical Engines ', username: ' Engines-1 ' },
};

describe('a sign-up', () => {
  test('is kept without blanks around it, but for the password, which is taken as it is', () => {
    expect(checkSignUp(right, 'ada@example.com')).toEqual({
      faults: {},
      draft: {
        name: 'Ada Lovelace',
        password: ' seven brass wheels ',
        business: { accountHolder: 'Analytical Engines', username: 'engines-1' },
      },
    });
  });

  test('hears of every fault at once', () => {
    const { faults } = checkSignUp(
      { name: '', password: '', business: { accountHolder: '', username: '' } },
      'ada@example.com',
    );
    expect(Object.keys(faults)).toEqual(['name', 'password', 'business_name', 'username']);
  });

  test('of somebody who joins a business needs none', () => {
    const joining = { ...right, business: undefined };
    expect(checkSignUp(joining, 'ada@example.com').faults).toEqual({});
    expect(Object.keys(checkSignUp({ ...joining, name: '' }, 'ada@example.com').faults)).toEqual(['name']);
  });
});

describe('an email address', () => {
  test.each(['ada@example.com', "o'hara+x@sub.example.co", 'a@b.io'])('%s is one', (email) => {
    expect(emailFault(email)).toBeUndefined();
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
  ])('%j is none', (email) => {
    expect(emailFault(email)).toBeDefined();
  });

  test('is the same in capitals and with blanks around it', () => {
    expect(toEmail(' Ada@Example.COM ')).toBe('ada@example.com');
  });
});

test.each(['ab', '1abc', 'a_b', 'a.b', 'ä-b', 'A-b', 'a'.repeat(33), '-abc'])(
  '%s is no username',
  (username) => {
    expect(usernameFault(username)).toBeDefined();
  },
);

test('a line is counted in characters, and hides nothing', () => {
  expect(lineError('🐢'.repeat(100), 'it', 100)).toBeUndefined();
  expect(lineError('🐢'.repeat(101), 'it', 100)).toMatch(/at most 100/);
  for (const text of ['a\u0000b', 'a\nb', 'a\u001bb', '\ud800'])
    expect(lineError(text, 'it', 100)).toBeDefined();
});
