import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, IconLogout2, IconUserMinus, IconUserShield } from '@tabler/icons-react';
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
  const RemoveIcon = isYou ? IconLogout2 : IconUserMinus;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={isYou ? 'You in the team' : `Change ${name}`}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {role === 'owner' && (
          <Menu.Item leftSection={<IconUserShield size={16} aria-hidden />} onClick={onRole}>
            Change to {roles[nextRole(member)].name.toLowerCase()}
          </Menu.Item>
        )}
        <Menu.Item color="red" leftSection={<RemoveIcon size={16} aria-hidden />} onClick={onRemove}>
          {isYou ? 'Leave the team' : 'Remove from the team'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
