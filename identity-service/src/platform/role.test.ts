import { describe, expect, test } from '@jest/globals';
import { hasRightsOf, isRole, roleColumn, roleMissingError, roles, rolesAbove } from './role.ts';

test.each(['member', 'Owner', '', null])('a column with %p fails: no person has rights by it', (value) => {
  expect(roleColumn.safeParse(value).success).toBe(false);
});

describe('rights', () => {
  test('each role has those of the roles before it', () => {
    const pairs = roles.map((role) => roles.filter((needed) => hasRightsOf(role, needed)));
    expect(pairs).toEqual([['viewer'], ['viewer', 'developer'], ['viewer', 'developer', 'owner']]);
    expect(roles.map(rolesAbove)).toEqual([['developer', 'owner'], ['owner'], []]);
  });

  test('a refusal names the role, and who can change it', () => {
    const { kind, reason, message } = roleMissingError('developer');
    expect([kind, reason]).toEqual(['permission_denied', 'not_developer']);
    expect(message).toMatch(/needs the role developer: an owner can change your role/);
  });

  test.each(['member', 'Owner', undefined, 'toString'])('%p is no role', (candidate) => {
    expect(isRole(candidate)).toBe(false);
  });
});
