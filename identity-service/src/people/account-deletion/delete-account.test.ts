import { expect, test } from '@jest/globals';
import type { LockedMember } from '../team/team.ts';
import { obstacleOf } from './delete-account.ts';

const member = (personId: string, role: LockedMember['role']): LockedMember => ({
  personId,
  role,
  email: `${personId}@people.test`,
});

const idle = { keys: 0, apps: 0, connections: 0 };

const owner = member('per_1', 'owner');

test.each([
  ['the only owner of a business with other members', [owner, member('per_2', 'developer')], idle, 'members'],
  ['the only person of a business with keys', [owner], { ...idle, keys: 1 }, 'active'],
  ['the only person of a business with apps', [owner], { ...idle, apps: 1 }, 'active'],
  ['the only person of a business with connections', [owner], { ...idle, connections: 1 }, 'active'],
  ['the only person of an idle business', [owner], idle, undefined],
  ['one of two owners', [owner, member('per_2', 'owner')], { ...idle, keys: 1 }, undefined],
  ['a member', [member('per_1', 'developer'), member('per_2', 'owner')], { ...idle, keys: 1 }, undefined],
] as const)('%s', (_, members, activity, reason) => {
  expect(obstacleOf(7, 'per_1', members, activity)?.reason).toBe(reason);
});
