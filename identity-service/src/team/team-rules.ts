import { AppError } from '@platform/service-kit/app-error.ts';
import type { Role } from './team.ts';
import type { LockedMember } from './team-store.ts';

/** @throws AppError unless the person is an owner at this moment: it may have been one when it asked */
export function checkOwner(members: readonly LockedMember[], personId: string): void {
  if (members.find((member) => member.personId === personId)?.role === 'owner') return;
  throw new AppError('permission_denied', 'not_owner', 'only owners of the business may do this');
}

/** @throws AppError when nobody of the team is this person */
export function memberOf(members: readonly LockedMember[], personId: string): LockedMember {
  const member = members.find((candidate) => candidate.personId === personId);
  if (member !== undefined) return member;
  throw new AppError('not_found', 'member_not_found', 'nobody of the team is this person');
}

/**
 * A business always has an owner.
 * @param next role that the member would have; undefined for none
 * @throws AppError when the last owner would be gone
 */
export function checkOwnerRemains(
  members: readonly LockedMember[],
  { personId }: LockedMember,
  next: Role | undefined,
): void {
  const remains = members.some((member) =>
    member.personId === personId ? next === 'owner' : member.role === 'owner',
  );
  if (remains) return;
  throw new AppError(
    'failed_precondition',
    'last_owner',
    'a business needs an owner, and this is the only one: make somebody else an owner first',
  );
}
