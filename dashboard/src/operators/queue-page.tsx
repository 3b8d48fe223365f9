import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { unwrap } from '../api/client.ts';
import { formatNumber } from '../components/format.ts';
import { Panel } from '../components/panel.tsx';
import { Row, Rows } from '../components/rows.tsx';
import { Loaded } from '../components/states.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { ActionButton } from './action-button.tsx';
import { type Business, consoleKey, type LimitRequest, nameOf, operatorsApi } from './api.ts';
import classes from './operators.module.css';
import { Proposals } from './proposals.tsx';

/** Everything pending: verifications, requests for higher limits, and bans; oldest first. */
export default function QueuePage() {
  const query = useQuery({
    queryKey: consoleKey('queue'),
    queryFn: ({ signal }) => unwrap(operatorsApi.GET('/queue', { signal })),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
  return (
    <>
      <PageHeader
        title="Queue"
        description="Verifications, limits and bans that are pending, oldest first."
      />
      <Loaded query={query}>
        {({ verifications, hasMore, limitRequests, proposals }) => (
          <Stack gap="lg">
            {proposals.length > 0 && <Proposals proposals={proposals} />}
            <Panel title="Verifications" {...(hasMore && { description: 'Only the first 100 are shown.' })}>
              {verifications.length === 0 ? (
                <Text c="dimmed">No pending verifications.</Text>
              ) : (
                <Rows label="Verifications" isStacked>
                  {verifications.map((business) => (
                    <WaitingBusiness key={business.id} business={business} />
                  ))}
                </Rows>
              )}
            </Panel>
            <Panel title="Higher limits">
              <LimitRequests requests={limitRequests} />
            </Panel>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function WaitingBusiness({ business }: { readonly business: Business }) {
  const { id, name, submittedAt } = business;
  return (
    <Row end={<VerificationActions business={business} />}>
      <Anchor component={Link} href={`/businesses/${id}`} fw={600} className={classes.break ?? ''}>
        Verification: {name}
      </Anchor>
      <Facts business={business} />
      <Text size="sm" c="dimmed">
        Submitted <Timestamp at={submittedAt} />
      </Text>
    </Row>
  );
}

function Facts({ business: { facts } }: { readonly business: Business }) {
  return (
    <Text size="sm" className={classes.break ?? ''}>
      {facts === null ? '' : `${facts.legalName}, ${facts.registrationNumber}, ${facts.country}`}
    </Text>
  );
}

/** Approves or rejects a verification: the facts that the dialog shows, and no later ones. */
export function VerificationActions({ business }: { readonly business: Business }) {
  const { id, name } = business;
  const params = { path: { businessId: String(id) } };
  const submittedAt = business.submittedAt ?? '';
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        action="Approve"
        title={`Approve ${name}?`}
        done="Approved."
        send={(reason) =>
          unwrap(
            operatorsApi.POST('/businesses/{businessId}/approve', { params, body: { reason, submittedAt } }),
          )
        }
      >
        <Facts business={business} />
        <Text size="sm">The business can then register and connect apps.</Text>
      </ActionButton>
      <ActionButton
        action="Reject"
        title={`Reject ${name}?`}
        destructive
        done="Rejected."
        send={(reason) =>
          unwrap(
            operatorsApi.POST('/businesses/{businessId}/reject', { params, body: { reason, submittedAt } }),
          )
        }
      >
        <Facts business={business} />
        <Text size="sm">The owners can correct the facts and submit them again.</Text>
      </ActionButton>
    </Group>
  );
}

const limitNames = { rate_limit: 'requests an hour', connected_users: 'connected businesses' } as const;

/** Requests for higher limits, with their use and the decision. */
export function LimitRequests({ requests }: { readonly requests: readonly LimitRequest[] }) {
  if (requests.length === 0) return <Text c="dimmed">No pending requests.</Text>;
  return (
    <Rows label="Requests for higher limits" isStacked>
      {requests.map((request) => (
        <Row key={request.id} end={<LimitActions request={request} />}>
          <Anchor
            component={Link}
            href={`/businesses/${request.businessId}`}
            fw={600}
            className={classes.break ?? ''}
          >
            Limit: {nameOf(request)}
          </Anchor>
          <Text size="sm" className={classes.break ?? ''}>
            {formatNumber(request.requestedLimit)} {limitNames[request.kind]} for{' '}
            {request.kind === 'rate_limit' ? 'the API key' : 'the app'} {request.subjectName ?? '(deleted)'},
            now {formatNumber(request.currentLimit ?? 0)}. “{request.reason}”
          </Text>
          <Text size="sm" c="dimmed">
            Requested <Timestamp at={request.createdAt} />. In 30 days {formatNumber(request.requests)}{' '}
            requests, {formatNumber(request.busiestHour)} in the busiest hour, {formatNumber(request.refused)}{' '}
            rate limited (429).
          </Text>
        </Row>
      ))}
    </Rows>
  );
}

function LimitActions({ request: { id, requestedLimit } }: { readonly request: LimitRequest }) {
  const params = { path: { limitRequestId: id } };
  const path = '/limit-requests/{limitRequestId}';
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        action="Grant"
        title="Grant a higher limit?"
        limit={requestedLimit}
        done="Granted."
        send={(reason, limit) =>
          unwrap(operatorsApi.POST(`${path}/grant`, { params, body: { reason, limit } }))
        }
      >
        <Text size="sm">Takes effect immediately. The person who asked gets an email.</Text>
      </ActionButton>
      <ActionButton
        action="Decline"
        title="Decline the higher limit?"
        destructive
        done="Declined."
        send={(reason) => unwrap(operatorsApi.POST(`${path}/decline`, { params, body: { reason } }))}
      >
        <Text size="sm">The limit stays. The person who asked gets an email.</Text>
      </ActionButton>
    </Group>
  );
}
