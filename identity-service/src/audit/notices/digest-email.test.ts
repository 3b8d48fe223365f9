import { expect, test } from '@jest/globals';
import { digestEmail, maxListed } from './digest-email.ts';
import type { Notice } from './notice.ts';

const url = 'https://api.example';

const noticeOf = (changes: Partial<Notice>): Notice => ({
  id: 'ntc_1',
  at: 0,
  topic: 'access',
  action: 'business.frozen',
  businessId: 1,
  subjectId: '1',
  subjectName: undefined,
  isAboutReader: false,
  isBySubject: false,
  actorKind: 'person',
  actorName: 'Ada',
  clientIp: undefined,
  details: {},
  isRead: false,
  ...changes,
});

const names = new Map([
  [1, 'Engines'],
  [2, 'Owls http://evil.example'],
]);
const emailOf = (notices: readonly Notice[]) => digestEmail(notices, (id) => names.get(id), url);

test('a digest groups its notices by business, in the order of the first notice of each', () => {
  const { subject, text } = emailOf([
    noticeOf({ businessId: 2 }),
    noticeOf({}),
    noticeOf({ businessId: 2, action: 'business.unfrozen' }),
    noticeOf({ businessId: 3 }),
    noticeOf({ businessId: undefined, action: 'person.password_changed' }),
  ]);
  expect(subject).toBe('5 notices of a day');
  const headings = text.match(/^.+(?=\n[=-]{3,}$)/gm);
  const [frozen, unfrozen] = ['API access was frozen', 'API access works again'];
  expect(headings).toEqual([
    ...['Owls http evil example', frozen, unfrozen, 'Engines', frozen, 'Business 3', frozen],
    ...['Your account', 'Your password was changed'],
  ]);
  expect(text).toContain(`API access was frozen by Ada: every request`);
  expect(text).toContain(`See the business settings:\n${url}/dashboard/2/settings/business\n`);
  expect(text.trimEnd().endsWith(`Choose which emails you get:\n${url}/dashboard/notices`)).toBe(true);
  expect(text).not.toContain('evil.example');
});

test(`a digest lists at most ${maxListed} notices, and says when there are more`, () => {
  const all = Array.from({ length: maxListed + 1 }, () => noticeOf({}));
  const { subject, text } = emailOf(all);
  expect(text.match(/^API access was frozen$/gm)).toHaveLength(maxListed);
  expect(subject).toBe(`More than ${maxListed} notices of a day`);
  expect(text).toContain('There are more of them in the dashboard.');
  expect(emailOf(all.slice(1)).text).not.toContain('There are more');
});
