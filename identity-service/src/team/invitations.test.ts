import { expect, test } from '@jest/globals';
import { invitationLetter, quotable } from './invitations.ts';

test.each([
  ['Analytical Engines Ltd.', 'Analytical Engines Ltd.'],
  ['J.P. Morgan', 'J P. Morgan'],
  ['win at https://evil.example/now', 'win at https evil example now'],
  ['evil.example', 'evil example'],
  ['mail me@evil.example', 'mail me evil example'],
  ['a\u2028b\n\nc', 'a b c'],
])('the name %j is quoted as %j', (name, quoted) => {
  expect(quotable(name)).toBe(quoted);
});

test('a long name is cut', () => {
  expect(quotable('ä'.repeat(200))).toBe(`${'ä'.repeat(80)}…`);
});

test('the only link in the letter is ours', () => {
  const link = 'https://api.example/dashboard/join?token=in_x';
  const names = { businessName: 'Prize http://evil.example', inviterName: 'www.evil.example' };
  const { subject, text } = invitationLetter({ ...names, role: 'owner', link });
  expect(text.match(/\S+[.:]\S+/g)).toEqual([link]);
  expect(text).toContain('as an owner');
  expect(subject).not.toMatch(/evil\./);
});
