import { expect, test } from '@jest/globals';
import { describeMail } from './mails.ts';

const mail = (body: string) =>
  ['To: ada@example.com', 'Subject: Confirm your email address', '', body].join('\r\n');

test('a mail is printed with its address, its subject and its first link', () => {
  const body =
    'Confirm it:\r\nhttp://127.0.0.1:8080/signup/confirm?token=su_1\r\n\r\nOr https://other.example';
  expect(describeMail(mail(body))).toBe(
    'Mail to ada@example.com: Confirm your email address\n  http://127.0.0.1:8080/signup/confirm?token=su_1',
  );
});

test('a mail without a link is printed in one line', () => {
  expect(describeMail(mail('Your account was deleted.'))).toBe(
    'Mail to ada@example.com: Confirm your email address',
  );
});
