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
import { otherRole, type Role, roles, type TeamMember, useChangeRole, useRefreshTeam } from './team.ts';

/** Gives a member another role, after saying what that means. */
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

/** Why the only owner can neither leave nor become a member. */
function LastOwnerDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="You are the only owner">
      <Stack gap="md">
        <Text size="sm">
          A business always has an owner: without one, nobody could verify it, lift a freeze or invite people.
          Make somebody else an owner first. Then you can step down or leave.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Understood</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Ends one's own membership. */
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
      // In one step: this page would say that there is no such business, another one would lead back here.
      notifyManager.batch(() => {
        client.setQueryData<Session>(
          sessionKey,
          (session) =>
            session && { ...session, businesses: session.businesses.filter(({ id }) => id !== businessId) },
        );
        notifyManager.schedule(() => navigate('~/dashboard'));
      });
      void client.invalidateQueries({ queryKey: sessionKey });
      toast(`You do not belong to ${name} any more.`);
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
        <strong>You lose all access to this business at once.</strong> API keys and apps keep working. Only an
        owner can let you in again, by a new invitation.
      </Text>
    </ConfirmDialog>
  );
}

/** Ends somebody's membership, after saying what that means. */
function RemoveMemberDialog({
  member: { personId, name },
  opened,
  onClose,
}: {
  readonly member: TeamMember;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshTeam();
  const removal = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
        }),
      ),
    onSuccess: async () => {
      await refresh();
      onClose();
      toast(`${name} does not belong to the team any more.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action="Remove from the team"
      destructive
      opened={opened}
      onClose={() => {
        onClose();
        removal.reset();
      }}
      mutation={removal}
      onConfirm={() => removal.mutate()}
    >
      <Text size="sm">
        <strong>This person loses all access to this business at once.</strong> Keys that they made keep
        working: rotate those that they may still know. Open invitations that they have sent are taken back.
        You can invite them again at any time.
      </Text>
    </ConfirmDialog>
  );
}

/** What was asked for about a member, as it was then. */
export interface MemberAction {
  readonly action: 'role' | 'remove';
  readonly member: TeamMember;
  /** There is nobody who could take this one's place. */
  readonly isLastOwner: boolean;
}

/** The question before something is done about a member. They stand beside the list: a turned phone must not close them. */
export function MemberDialogs({
  request,
  opened,
  onClose,
}: {
  /** Stays while the dialog closes. */
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

/** Owner or Member. */
export function RoleName({ role }: { readonly role: Role }) {
  return <span className={classes.word}>{roles[role].name}</span>;
}
