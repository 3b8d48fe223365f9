import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import { RowMenu } from '../../parts/row-menu.tsx';
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
    <RowMenu
      label={`Change the invitation of ${email}`}
      loading={again.isPending}
      acts={[
        { label: 'Send again', icon: IconMailForward, onClick: sendAgain },
        { label: 'Take back', icon: IconMailOff, destructive: true, onClick: onWithdraw },
      ]}
    />
  );
}
