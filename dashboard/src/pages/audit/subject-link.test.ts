import { expect, test } from '@jest/globals';
import { subjectLink } from './subject-link.ts';

const subject = { id: 'id_1', name: 'Tea', exists: true };

test.each([
  ['api_key', '/developers/keys/id_1'],
  ['application', '/developers/apps/id_1'],
  ['grant', '/connected'],
  ['person', '/settings/business'],
  ['member', '/settings/business'],
  ['business', '/settings/business'],
  ['access_token', undefined],
])('%s leads to %p', (kind, link) => {
  expect(subjectLink({ ...subject, kind })).toBe(link);
});

test('what is gone leads nowhere', () => {
  expect(subjectLink({ ...subject, kind: 'api_key', exists: false })).toBeUndefined();
});
