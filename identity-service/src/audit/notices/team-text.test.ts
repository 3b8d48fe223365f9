import { expect, test } from '@jest/globals';
import type { Notice } from './notice.ts';
import { describeNotice } from './notice-text.ts';

const notice: Notice = {
  id: 'ntc_1',
  at: 0,
  topic: 'team',
  action: 'member.role_changed',
  businessId: 7,
  subjectId: 'per_bob',
  subjectName: 'Bob',
  isAboutReader: true,
  isBySubject: false,
  actorKind: 'person',
  actorName: 'Ada',
  clientIp: undefined,
  details: {},
  isRead: false,
};
const textOf = (changes: Partial<Notice>): string => describeNotice({ ...notice, ...changes }).text;
const became = (to: string) => ({ details: { role: { from: 'viewer', to } } });

test.each([
  ['developer', 'from viewer to developer: a developer manages API keys, apps and webhooks'],
  ['owner', 'from viewer to owner: an owner can do everything'],
])('a person who became %s reads what that means', (to, meaning) => {
  expect(textOf(became(to))).toContain(`Your role was changed by Ada ${meaning}`);
  expect(textOf({ ...became(to), isAboutReader: false })).toContain(
    `The role of Bob was changed by Ada ${meaning}`,
  );
});

test('the text about a restored role gives the reason and the role that is known', () => {
  const details = { role: 'viewer', reason: 'A backup was restored.' };
  expect(textOf({ details, actorKind: 'operator', actorName: undefined })).toBe(
    'Your role was changed by our support to viewer: a viewer sees everything except secrets, and can change nothing. Reason: “A backup was restored.”.',
  );
});

test.each<[Partial<Notice>, string]>([
  [{ ...became('a role of a later release') }, 'Your role was changed by Ada from viewer.'],
  [{ ...became('owner'), isAboutReader: false, subjectName: undefined }, 'The role of a person was changed'],
  [
    { ...became('owner'), isAboutReader: false, subjectName: 'evil.example/x' },
    'The role of evil example x was',
  ],
  [{ action: 'member.removed' }, 'You were removed from a business by Ada: you no longer have access to it'],
  [
    { action: 'member.removed', isAboutReader: false, details: { role: 'owner' } },
    'Bob, until now an owner, was removed from the team by Ada',
  ],
  [
    { action: 'member.removed', isAboutReader: false, isBySubject: true, details: { role: 'owner' } },
    'Bob, until now an owner, left the team,',
  ],
  [
    { action: 'member.removed', isAboutReader: false, isBySubject: true, details: { role: 'developer' } },
    'Bob left the team, and no longer has access to the business. API keys, client secrets, redirect URIs and addresses of this person keep working, and webhook endpoints send only what developers may receive: look through them.',
  ],
  [
    { action: 'person.deleted', isAboutReader: false, subjectName: undefined, details: { name: 'Bob' } },
    'Bob deleted their account, and no longer has access to the business. API keys,',
  ],
])('%j', (changes, words) => {
  expect(textOf(changes)).toContain(words);
});
