import { Button, Group, Stack, Text } from '@mantine/core';
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { sessionKey } from '../../api/queries.ts';
import type { Session } from '../../api/session.ts';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import classes from './business.module.css';
import { RemoveMemberDialog } from './remove-member.tsx';
import { otherRole, type Role, roles, type TeamMember, useChangeRole } from './team.ts';

/** Changes the role of a member after confirmation. */
function ChangeRoleDialog({
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
  const role = otherRole(member);
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
                ? 'You are now a member.'
                : `${name} is now ${role === 'owner' ? 'an owner' : 'a member'}.`,
            );
          },
        })
      }
    >
      <Text size="sm">
        {role === 'owner' ? (
          <>
            An owner manages the business itself: verification, team, API access and connected apps. An owner
            can also remove other owners, <strong>including you</strong>.
          </>
        ) : (
          <>
            A member can see everything and manage API keys and apps, but not the business itself; which keys,
            owners choose below the team. Open invitations sent by {isYou ? 'you' : 'this person'} are
            withdrawn. {isYou && <strong>Only another owner can make you an owner again.</strong>}
          </>
        )}
      </Text>
    </ConfirmDialog>
  );
}

/** Explains why the only owner cannot leave or become a member. */
function LastOwnerDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="You are the only owner">
      <Stack gap="md">
        <Text size="sm">
          A business needs at least one owner. Make another member an owner first; then you can become a
          member or leave.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>OK</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Leaves the team after confirmation. */
function LeaveDialog({
  member: { personId },
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId, name } = useBusiness();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const leaving = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
        }),
      ),
    onSuccess: () => {
      // In one batch: in between, this page would show "Business not found", or the start page redirect back here.
      notifyManager.batch(() => {
        client.setQueryData<Session>(
          sessionKey,
          (session) =>
            session && { ...session, businesses: session.businesses.filter(({ id }) => id !== businessId) },
        );
        notifyManager.schedule(() => navigate('~/dashboard'));
      });
      void client.invalidateQueries({ queryKey: sessionKey });
      toast(`You left ${name}.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Leave ${name}?`}
      action="Leave the team"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        leaving.reset();
      }}
      mutation={leaving}
      onConfirm={() => leaving.mutate()}
    >
      <Text size="sm">
        <strong>You lose all access to this business at once.</strong> API keys and apps keep working. To
        return, you need a new invitation from an owner.
      </Text>
    </ConfirmDialog>
  );
}

/** A requested action on a member, kept while its dialog closes. */
export interface MemberAction {
  readonly action: 'role' | 'remove';
  readonly member: TeamMember;
  /** Whether the member is the only owner. */
  readonly isLastOwner: boolean;
}

/** The dialog of a member action. Rendered beside the list, which re-mounts when a phone is rotated. */
export function MemberDialogs({
  request,
  opened,
  onClose,
}: {
  readonly request: MemberAction;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { action: act, member, isLastOwner } = request;
  if (isLastOwner) return <LastOwnerDialog opened={opened} onClose={onClose} />;
  const dialog = { member, opened, onClose };
  if (act === 'role') return <ChangeRoleDialog {...dialog} />;
  return member.isYou ? <LeaveDialog {...dialog} /> : <RemoveMemberDialog {...dialog} />;
}

export function RoleName({ role }: { readonly role: Role }) {
  return <span className={classes.nowrap}>{roles[role].name}</span>;
}
