import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { sessionKey } from '../../api/session.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import { toast } from '../../parts/toast.tsx';
import { type InvitationPreview, inviterOf } from './invitation.ts';
import classes from './join.module.css';

const mayDo = {
  member: 'As a member you see everything of the business, and look after its API keys and apps.',
  owner:
    'As an owner you look after API keys and apps, and decide about the business itself: verification, team, API access and connected apps.',
} as const;

/** The invitation, and the way into the business. */
export function AcceptInvitation({
  invitation,
  token,
}: {
  readonly invitation: InvitationPreview;
  readonly token: string;
}) {
  const { businessName, role, expiresAt } = invitation;
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const acceptance = useMutation({
    mutationFn: () => answerOf(api.POST('/invitations/accept', { body: { token } })),
    onSuccess: async ({ businessId }) => {
      await client.invalidateQueries({ queryKey: sessionKey });
      toast(`You belong to ${businessName} now.`);
      // After every page knows of the business.
      notifyManager.schedule(() => navigate(`~/dashboard/${businessId}`));
    },
  });
  return (
    <Surface component="section" className={classes.card} aria-label="Invitation">
      <Stack gap="md">
        <div>
          <Text c="dimmed" size="sm">
            {inviterOf(invitation)} invites you to join
          </Text>
          <Title order={2} fz="xl">
            {businessName}
          </Title>
        </div>
        <Text>{mayDo[role]}</Text>
        <Text size="sm" c="dimmed">
          The invitation ends <Moment at={expiresAt} />.
        </Text>
        <ActionError error={acceptance.error} />
        <Group gap="sm">
          <Button loading={acceptance.isPending} onClick={() => acceptance.mutate()}>
            Join the business
          </Button>
          <Button component={Link} href="~/dashboard" variant="default" disabled={acceptance.isPending}>
            Not now
          </Button>
        </Group>
      </Stack>
    </Surface>
  );
}
