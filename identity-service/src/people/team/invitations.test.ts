import { expect, test } from '@jest/globals';
import { invitationEmail, withoutLinks } from './invitations.ts';

test.each([
  ['Analytical Engines Ltd.', 'Analytical Engines Ltd.'],
  ['J.P. Morgan', 'J P. Morgan'],
  ['win at https://evil.example/now', 'win at https evil example now'],
  ['evil.example', 'evil example'],
  ['mail me@evil.example', 'mail me evil example'],
  ['evil。example', 'evil example'],
  ['evil．example', 'evil example'],
  ['evil｡example', 'evil example'],
  ['https：／／evil．example', 'https evil example'],
  ['me＠evil．example', 'me evil example'],
  ['株式会社。', '株式会社。'],
  ['a\u2028b\n\nc', 'a b c'],
])('the name %j becomes %j', (name, expected) => {
  expect(withoutLinks(name)).toBe(expected);
});

test('a long name is cut', () => {
  expect(withoutLinks('ä'.repeat(200))).toBe(`${'ä'.repeat(80)}…`);
});

test('the email contains no link but the invitation', () => {
  const link = 'https://api.example/dashboard/join?token=in_x';
  const names = { businessName: 'Prize http://evil.example', inviterName: 'www.evil.example' };
  const { subject, text } = invitationEmail({ ...names, role: 'owner', link });
  expect(text.match(/\S+[.:]\S+/g)).toEqual([link]);
  expect(text).toContain('as an owner');
  expect(subject).not.toMatch(/evil\./);
});
