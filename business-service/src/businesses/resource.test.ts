import { expect, test } from '@jest/globals';
import { businessResource } from './resource.ts';

test('the record has exactly the fields of contract 2.1', () => {
  const profile = {
    id: 7,
    isBanned: false,
    uniqueId: 'biz_7',
    accountHolder: 'Tea Ltd',
    logo: 'https://example.com/logo.png',
    username: 'tea',
  };
  expect(businessResource({ ...profile, ...{ legalName: 'secret' } })).toEqual({
    id: 7,
    is_banned: false,
    unique_id: 'biz_7',
    account_holder: 'Tea Ltd',
    logo: 'https://example.com/logo.png',
    username: 'tea',
  });
});
