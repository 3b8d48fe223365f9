import { describe, expect, test } from '@jest/globals';
import { hasRightsOf, isRole, roleColumn, roleMissingError, roles, rolesAbove } from './role.ts';

test.each(['member', 'Owner', '', null])(
  'a stored role of %p is an error, so that it gives no rights',
  (value) => {
    expect(roleColumn.safeParse(value).success).toBe(false);
  },
);

describe('the rights of roles', () => {
  test('include the rights of every lower role', () => {
    const pairs = roles.map((role) => roles.filter((needed) => hasRightsOf(role, needed)));
    expect(pairs).toEqual([['viewer'], ['viewer', 'developer'], ['viewer', 'developer', 'owner']]);
    expect(roles.map(rolesAbove)).toEqual([['developer', 'owner'], ['owner'], []]);
  });

  test('are named in a refusal, with the owner who can change the role', () => {
    const { kind, reason, message } = roleMissingError('developer');
    expect([kind, reason]).toEqual(['permission_denied', 'not_developer']);
    expect(message).toMatch(/needs the role developer: an owner can change your role/);
  });

  test.each(['member', 'Owner', undefined, 'toString'])(
    'are not given to %p, which is not a role',
    (candidate) => {
      expect(isRole(candidate)).toBe(false);
    },
  );
});
