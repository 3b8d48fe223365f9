import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { nextRole, roles, type TeamMember, useChangeRole } from './team.ts';

/** Gives a member another role, after saying what that means. */
export function ChangeRoleDialog({
  member,
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const change = useChangeRole(member);
  const { name, isYou } = member;
  const role = nextRole(member);
  const next = roles[role].name.toLowerCase();
  const close = () => {
    onClose();
    change.reset();
  };
  return (
    <ConfirmDialog
      title={isYou ? `Become a ${next}?` : `Make ${name} ${role === 'owner' ? 'an owner' : 'a member'}?`}
      action={`Change to ${next}`}
      destructive={role === 'member'}
      opened={opened}
      onClose={close}
      mutation={change}
      onConfirm={() =>
        change.mutate(role, {
          onSuccess: () => {
            close();
            toast(
              isYou
                ? 'You are a member now.'
                : `${name} is ${role === 'owner' ? 'an owner' : 'a member'} now.`,
            );
          },
        })
      }
    >
      <Text size="sm">
        {role === 'owner' ? (
          <>
            An owner decides about the business itself: verification, team, API access and connected apps. An
            owner can also remove other owners, <strong>you included</strong>.
          </>
        ) : (
          <>
            A member sees everything and looks after API keys and apps, and no longer decides about the
            business itself. Invitations that {isYou ? 'you have' : 'this person has'} sent and that are still
            open are taken back. {isYou && <strong>Only another owner can make you an owner again.</strong>}
          </>
        )}
      </Text>
    </ConfirmDialog>
  );
}
