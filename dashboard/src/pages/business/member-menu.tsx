import { IconLogout2, IconUserMinus, IconUserShield } from '@tabler/icons-react';
import { RowMenu } from '../../parts/row-menu.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { nextRole, roles, type TeamMember } from './team.ts';

/** What may be done about a member, by whoever looks at it. */
export function MemberMenu({
  member,
  onRole,
  onRemove,
}: {
  readonly member: TeamMember;
  readonly onRole: () => void;
  readonly onRemove: () => void;
}) {
  const { role } = useBusiness();
  const { name, isYou } = member;
  const changeRole = {
    label: `Change to ${roles[nextRole(member)].name.toLowerCase()}`,
    icon: IconUserShield,
    onClick: onRole,
  };
  const remove = {
    label: isYou ? 'Leave the team' : 'Remove from the team',
    icon: isYou ? IconLogout2 : IconUserMinus,
    destructive: true,
    onClick: onRemove,
  };
  return (
    <RowMenu
      label={isYou ? 'You in the team' : `Change ${name}`}
      acts={role === 'owner' ? [changeRole, remove] : [remove]}
    />
  );
}
