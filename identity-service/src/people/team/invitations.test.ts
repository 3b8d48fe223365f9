import { expect, test } from '@jest/globals';
import { invitationEmail } from './invitations.ts';

test('the email of an invitation contains only the link of the invitation', () => {
  const link = 'https://api.example/dashboard/join?token=in_x';
  const names = { businessName: 'Prize http://evil.example', inviterName: 'www.evil.example' };
  const { subject, text } = invitationEmail({ ...names, role: 'owner', link });
  expect(text.match(/\S+[.:]\S+/g)).toEqual([link]);
  expect(text).toContain('as an owner');
  expect(subject).not.toMatch(/evil\./);
});
