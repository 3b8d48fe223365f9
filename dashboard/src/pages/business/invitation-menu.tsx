import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical, IconMailForward, IconMailOff } from '@tabler/icons-react';
import { toast, toastError } from '../../parts/toast.tsx';
import { type Invitation, useInvite } from './team.ts';

/** What may be done about an open invitation. */
export function InvitationMenu({
  invitation: { email, role },
  onWithdraw,
}: {
  readonly invitation: Invitation;
  readonly onWithdraw: () => void;
}) {
  const again = useInvite(() => toast(`Sent to ${email} again. The link from before has ended.`));
  const sendAgain = () => again.mutate({ email, role }, { onError: toastError });
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Change the invitation of ${email}`}
          loading={again.isPending}
        >
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconMailForward size={16} aria-hidden />} onClick={sendAgain}>
          Send again
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconMailOff size={16} aria-hidden />} onClick={onWithdraw}>
          Take back
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
