import { describe, expect, test } from '@jest/globals';
import { hasRightsOf, isRole, roleMissingError, roles, rolesAbove } from './role.ts';
import { fromStoredDetails, roleColumn, storedRole, toStoredDetails } from './stored-role.ts';

const stored = [
  ['viewer', 'viewer'],
  ['developer', 'member'],
  ['owner', 'owner'],
] as const;

test('every role is stored, and read as it was', () => {
  expect(stored.map(([role]) => role)).toEqual(roles);
  for (const [role, name] of stored) {
    expect(storedRole(role)).toBe(name);
    expect(roleColumn.parse(name)).toBe(role);
  }
});

test.each(['developer', 'admin', '', null, undefined])('%p in a column is no role', (value) => {
  expect(roleColumn.safeParse(value).success).toBe(false);
});

describe('the details of an audit event', () => {
  test.each([
    [{ role: 'developer' }, { role: 'member' }],
    [
      { role: 'viewer', email: 'a@b.io' },
      { role: 'viewer', email: 'a@b.io' },
    ],
    [{ role: { from: 'owner', to: 'developer' } }, { role: { from: 'owner', to: 'member' } }],
    [{ role: { from: 'developer', to: 'viewer' } }, { role: { from: 'member', to: 'viewer' } }],
    [{ name: 'developer' }, { name: 'developer' }],
    [{}, {}],
  ])('%j are stored as %j', (details, expected) => {
    expect(toStoredDetails(details)).toEqual(expected);
    // What a replay records again is in stored form already.
    expect(toStoredDetails(expected)).toEqual(expected);
    expect(fromStoredDetails(expected)).toEqual(details);
  });

  test('a role of another release, or none at all, stays', () => {
    for (const role of ['admin', 'constructor', 7, null, ['member'], { to: 3 }]) {
      expect(fromStoredDetails({ role })).toEqual({ role });
    }
  });
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
