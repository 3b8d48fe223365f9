import { Alert, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { IconMailOff, IconMailQuestion } from '@tabler/icons-react';
import { notifyManager, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { sessionKey } from '../../api/queries.ts';
import { Surface } from '../../components/panel.tsx';
import { EmptyState, ErrorAlert, Loaded } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { logOut, useSession } from '../../shell/session-context.ts';
import classes from './join.module.css';

type InvitationPreview = components['schemas']['InvitationPreview'];

/** Name of the inviter, unless the account was deleted. */
function inviterLabel({ inviterName }: InvitationPreview): string {
  return inviterName === '' ? 'A former member' : inviterName;
}

const roleDescriptions = {
  viewer: 'As a viewer, you can see everything in the business except secrets, but cannot change anything.',
  developer:
    'As a developer, you can see everything in the business and manage its API keys, apps and webhooks.',
  owner:
    'As an owner, you also manage the business itself: verification, team, API access and connected apps.',
} as const;

/** Accepts an invitation. */
function AcceptInvitation({
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
    mutationFn: () => unwrap(api.POST('/invitations/accept', { body: { token } })),
    onSuccess: async ({ businessId }) => {
      await client.invalidateQueries({ queryKey: sessionKey });
      toast(`You joined ${businessName}.`);
      // After the reloaded session, with the new business, has rendered.
      notifyManager.schedule(() => navigate(`~/dashboard/${businessId}`));
    },
  });
  return (
    <Surface component="section" className={classes.card} aria-label="Invitation">
      <Stack gap="md">
        <div>
          <Text c="dimmed" size="sm">
            {inviterLabel(invitation)} invites you to join
          </Text>
          <Title order={2} fz="xl">
            {businessName}
          </Title>
        </div>
        <Text>{roleDescriptions[role]}</Text>
        <Text size="sm" c="dimmed">
          The invitation expires <Timestamp at={expiresAt} />.
        </Text>
        <ErrorAlert error={acceptance.error} />
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

function DashboardLink() {
  return (
    <Button component={Link} href="~/dashboard" variant="default">
      Go to dashboard
    </Button>
  );
}

/** Shown when the invitation was sent to an address other than that of the account. */
function WrongAccount({ invitation }: { readonly invitation: InvitationPreview }) {
  const { person } = useSession();
  return (
    <Surface component="section" className={classes.card} aria-label="Invitation">
      <Stack gap="md">
        <Text>
          {inviterLabel(invitation)} invites a person to join <strong>{invitation.businessName}</strong>.
        </Text>
        <Alert
          color="yellow"
          icon={<IconMailQuestion />}
          title="This invitation is for another email address"
          role="status"
        >
          You are logged in as <strong>{person.email}</strong>. Only the address the invitation was sent to
          can accept it.
        </Alert>
        <Text size="sm" component="div">
          If that address is also yours:
          <List size="sm" type="ordered" mt={4} spacing={4}>
            <List.Item>Log out here.</List.Item>
            <List.Item>
              Log in with that address. If it has no account yet, choose “Create an account” there and sign up
              with it.
            </List.Item>
            <List.Item>You return to this invitation and can accept it.</List.Item>
          </List>
        </Text>
        <Group gap="sm">
          <Button onClick={() => logOut(location.pathname + location.search)}>Log out and continue</Button>
          <DashboardLink />
        </Group>
      </Stack>
    </Surface>
  );
}

export default function JoinPage() {
  const [parameters] = useSearchParams();
  const token = parameters.get('token') ?? '';
  return (
    <>
      <PageHeader title="Join a business" />
      {token === '' ? (
        <EmptyState icon={IconMailQuestion} title="This link is incomplete" action={<DashboardLink />}>
          Open the complete link from the email, or ask for a new invitation.
        </EmptyState>
      ) : (
        <Invitation key={token} token={token} />
      )}
    </>
  );
}

function Invitation({ token }: { readonly token: string }) {
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => unwrap(api.POST('/invitations/preview', { body: { token }, signal })),
  });
  if (query.error instanceof ApiError && query.error.reason === 'invitation_over') {
    return (
      <EmptyState icon={IconMailOff} title="This invitation is no longer valid" action={<DashboardLink />}>
        It was used, withdrawn, or has expired. If you already accepted it, the business is in your dashboard.
        Otherwise, ask for a new invitation.
      </EmptyState>
    );
  }
  return (
    <Loaded query={query}>
      {(invitation) =>
        invitation.isForYou ? (
          <AcceptInvitation invitation={invitation} token={token} />
        ) : (
          <WrongAccount invitation={invitation} />
        )
      }
    </Loaded>
  );
}
