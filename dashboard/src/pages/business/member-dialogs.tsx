import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { LastOwnerDialog } from './last-owner-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';
import type { TeamMember } from './team.ts';

/** What was asked for about a member, as it was then. */
export interface MemberAct {
  readonly act: 'role' | 'remove';
  readonly member: TeamMember;
  /** There is nobody who could take this one's place. */
  readonly isLastOwner: boolean;
}

/** The question before something is done about a member. They stand beside the list: a turned phone must not close them. */
export function MemberDialogs({
  asked,
  opened,
  onClose,
}: {
  /** Stays while the dialog closes. */
  readonly asked: MemberAct;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { act, member, isLastOwner } = asked;
  if (isLastOwner) return <LastOwnerDialog opened={opened} onClose={onClose} />;
  const dialog = { member, opened, onClose };
  if (act === 'role') return <ChangeRoleDialog {...dialog} />;
  return member.isYou ? <LeaveDialog {...dialog} /> : <RemoveMemberDialog {...dialog} />;
}
