import { describe, expect, test } from '@jest/globals';
import { businessDraft, businessId, legalFacts } from './business-fields.ts';

const draft = { accountHolder: 'Tea Ltd', username: 'tea', logo: '', creationKey: '' };

describe('a new business is refused with', () => {
  test.each([
    ['no name', { ...draft, accountHolder: '' }],
    ['a name that is too long', { ...draft, accountHolder: 'x'.repeat(201) }],
    ['a short username', { ...draft, username: 'ab' }],
    ['a long username', { ...draft, username: `a${'b'.repeat(32)}` }],
    ['a username that starts with a digit', { ...draft, username: '1tea' }],
    ['a username in capitals', { ...draft, username: 'Tea' }],
    ['a logo over http', { ...draft, logo: 'http://example.com/logo.png' }],
    ['a logo that is a script', { ...draft, logo: 'javascript:alert(1)' }],
  ])('%s', (_, input) => {
    expect(businessDraft.safeParse(input).success).toBe(false);
  });
});

test('a logo is an https URL or absent', () => {
  expect(businessDraft.safeParse(draft).success).toBe(true);
  expect(businessDraft.safeParse({ ...draft, logo: 'https://example.com/logo.png' }).success).toBe(true);
});

test('a country is two capitals', () => {
  const facts = { legalName: 'Tea Ltd', registrationNumber: '42', country: 'GB' };
  expect(legalFacts.safeParse(facts).success).toBe(true);
  expect(legalFacts.safeParse({ ...facts, country: 'gbr' }).success).toBe(false);
});

test('an id that the database cannot hold is none', () => {
  expect(businessId.safeParse(2_147_483_647).success).toBe(true);
  expect(businessId.safeParse(2_147_483_648).success).toBe(false);
  expect(businessId.safeParse(0).success).toBe(false);
});
