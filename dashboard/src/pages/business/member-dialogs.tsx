import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { useForgetBusiness } from '../../api/session.ts';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { LossDialog } from './loss-dialog.tsx';
import { RemoveMemberDialog } from './remove-member.tsx';
import { RoleField } from './role-field.tsx';
import { allRoles, type Role, roleWithArticle, type TeamMember, useChangeRole } from './team.ts';

/** Rights that a person has after a change of role. */
function Consequences({ role, isYou }: { readonly role: Role; readonly isYou: boolean }) {
  if (role === 'owner') {
    return (
      <Text size="sm">
        An owner manages the business itself: verification, team, API access and connected apps. An owner can
        also remove other owners, <strong>including you</strong>.
      </Text>
    );
  }
  return (
    <Text size="sm">
      {role === 'developer'
        ? 'Owners choose below the team which keys developers can create. '
        : 'A viewer cannot create keys or change anything. '}
      Open invitations sent by {isYou ? 'you' : 'this person'} are withdrawn.{' '}
      {isYou && <strong>Only another owner can make you an owner again.</strong>}
    </Text>
  );
}

/** Changes the role of a member. */
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
  const { personId, name, isYou } = member;
  const [chosen, setChosen] = useState<Role>();
  const [kept, setKept] = useState<readonly string[]>([]);
  const role = chosen ?? member.role;
  const close = () => {
    onClose();
    change.reset();
    setChosen(undefined);
    setKept([]);
  };
  const isLess = allRoles.indexOf(role) < allRoles.indexOf(member.role);
  return (
    <LossDialog
      title={isYou ? 'Change your role' : `Change the role of ${name}`}
      action="Change role"
      destructive={isLess}
      disabled={role === member.role}
      opened={opened}
      onClose={close}
      mutation={change}
      onConfirm={() =>
        change.mutate(
          { role, kept },
          {
            onSuccess: () => {
              close();
              toast(`${isYou ? 'You are' : `${name} is`} now ${roleWithArticle[role]}.`);
            },
          },
        )
      }
      personId={personId}
      role={role}
      loses={isLess}
      kept={kept}
      onKeep={setKept}
    >
      <RoleField
        value={role}
        onChange={(next) => {
          setChosen(next);
          setKept([]);
        }}
      />
      {role !== member.role && <Consequences role={role} isYou={isYou} />}
    </LossDialog>
  );
}

/** Explains why the only owner can neither leave nor get another role. */
function LastOwnerDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="You are the only owner">
      <Stack gap="md">
        <Text size="sm">
          A business needs at least one owner. Make another member an owner first; then you can change your
          role or leave.
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
  const forget = useForgetBusiness();
  const leaving = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
          body: {},
        }),
      ),
    onSuccess: () => {
      forget(businessId);
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
        <strong>You lose all access to this business at once.</strong> API keys and apps keep working,
        webhooks that you made send only what developers may receive, and the owners get a notice. To return,
        you need a new invitation from an owner.
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
