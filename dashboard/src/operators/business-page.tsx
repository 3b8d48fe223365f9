import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconMapSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { usePages } from '../api/queries.ts';
import { formatNumber } from '../components/format.ts';
import { LogoImage } from '../components/logo-image.tsx';
import { Panel } from '../components/panel.tsx';
import { DescriptionList, LoadMore, Row, Rows } from '../components/rows.tsx';
import { EmptyState, Loaded } from '../components/states.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { BackLink, PageHeader } from '../shell/page-header.tsx';
import { ActionButton } from './action-button.tsx';
import { type BusinessView, consoleKey, operatorsApi } from './api.ts';
import { Credentials } from './credentials.tsx';
import classes from './operators.module.css';
import { PendingProposal, ProposalActions } from './proposals.tsx';
import { LimitRequests, VerificationActions } from './queue-page.tsx';
import { RowsOrNone, RowTime } from './rows.tsx';
import { BusinessState } from './search-page.tsx';

/** A business with all that an operator decides about. */
export default function BusinessPage({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: consoleKey('business', id),
    queryFn: ({ signal }) =>
      unwrap(operatorsApi.GET('/businesses/{businessId}', { params: { path: { businessId: id } }, signal })),
  });
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <>
        <PageHeader title={`Business ${id}`} back={<BackLink href="/">Queue</BackLink>} />
        <EmptyState icon={IconMapSearch} title="This business does not exist" />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={query.data?.business.name ?? `Business ${id}`}
        back={<BackLink href="/">Queue</BackLink>}
        {...(query.data && { description: <BusinessState business={query.data.business} /> })}
      />
      <Loaded query={query}>
        {(view) => (
          <Stack gap="lg">
            <Record view={view} />
            <People people={view.people} />
            <Credentials view={view} />
            <Panel title="Higher limits">
              <LimitRequests requests={view.limitRequests} />
            </Panel>
            <AuditLog id={id} />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function Record({ view }: { readonly view: BusinessView }) {
  const { business, lookalikes, freeze, proposal, use, secondFactorRequiredAt } = view;
  const { facts, verification } = business;
  return (
    <Panel
      title="Business"
      actions={
        <Group gap="xs">
          {verification === 'pending' && <VerificationActions business={business} />}
          {business.logo !== null && <LogoAction business={business} />}
          <FreezeAction business={business} isFrozen={freeze !== null} />
          {proposal === null ? <BanAction view={view} /> : <ProposalActions proposal={proposal} />}
        </Group>
      }
    >
      {lookalikes.length > 0 && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle />}
          title="Its names look like those of other businesses"
        >
          {lookalikes.map(({ id, name }) => `${name} (business ${id})`).join(', ')}
        </Alert>
      )}
      {business.ban !== null && (
        <Alert color="red" title="The business is banned">
          <Timestamp at={business.ban.bannedAt} />
          {business.ban.reason !== null && `: ${business.ban.reason}`}
        </Alert>
      )}
      {proposal !== null && <PendingProposal proposal={proposal} />}
      {freeze !== null && (
        <Alert color="blue" title="API access is frozen">
          <Timestamp at={freeze.frozenAt} /> by {frozenBy(view)}
          {freeze.reason !== '' && `: ${freeze.reason}`}
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Number', String(business.id)],
          ['Unique ID', business.uniqueId],
          ['Username', business.username],
          [
            'Logo',
            business.logo === null ? (
              'None'
            ) : (
              <LogoImage key="logo" logo={business.logo} name={business.name} />
            ),
          ],
          ['Registered name', facts?.legalName ?? 'None'],
          ['Registration number', facts === null ? 'None' : `${facts.registrationNumber}, ${facts.country}`],
          ['Submitted', <Timestamp key="submitted" at={business.submittedAt} />],
          ['Decided', <Timestamp key="decided" at={business.decidedAt} />],
          ['Reason for the decision', business.decisionReason ?? 'None given'],
          ['Created', <Timestamp key="created" at={business.createdAt} />],
          [
            'Required second factor',
            <Timestamp key="factor" at={secondFactorRequiredAt} absent="Not required" />,
          ],
          [
            'Requests in 24 hours',
            `${formatNumber(use.requests)}, of which ${formatNumber(use.refused)} were refused (4xx), ${formatNumber(use.limited)} rate limited (429) and ${formatNumber(use.failed)} failed (5xx)`,
          ],
        ]}
      />
    </Panel>
  );
}

/** Names who froze the business: an operator, or an owner, who may have left. */
function frozenBy({ freeze, people }: BusinessView): string {
  if (freeze?.personId === '') return 'an operator';
  const person = people.find(({ personId }) => personId === freeze?.personId);
  return person === undefined ? 'an owner who left' : `${person.name}, ${person.email}`;
}

/** Text after success. With four eyes, the response contains a proposal instead. */
function doneOr(response: unknown, done: string): string {
  const isProposal =
    typeof response === 'object' && response !== null && Reflect.get(response, 'proposalId') !== null;
  return isProposal ? 'Proposed: another operator decides.' : done;
}

const proposes = 'Another operator decides. Until then nothing changes.';

/** Bans, or lifts the ban. With four eyes, proposes it. */
function BanAction({ view: { business, freeze, fourEyes } }: { readonly view: BusinessView }) {
  const { id, name, isBanned } = business;
  const params = { path: { businessId: String(id) } };
  if (isBanned) {
    return (
      <ActionButton
        action="Lift the ban"
        title={`Lift the ban on ${name}?`}
        done={(response) => doneOr(response, 'The ban is lifted.')}
        send={(reason) =>
          unwrap(operatorsApi.POST('/businesses/{businessId}/unban', { params, body: { reason } }))
        }
      >
        <Text size="sm">
          {fourEyes
            ? proposes
            : freeze === null
              ? 'Its keys and apps work again immediately.'
              : 'The freeze stays: API requests are refused until it is lifted, too.'}
        </Text>
      </ActionButton>
    );
  }
  return (
    <ActionButton
      action="Ban"
      title={`Ban ${name}?`}
      destructive
      done={(response) => doneOr(response, 'The business is banned.')}
      send={(reason) =>
        unwrap(operatorsApi.POST('/businesses/{businessId}/ban', { params, body: { reason } }))
      }
    >
      <Text size="sm">
        {fourEyes
          ? proposes
          : 'All its API requests are refused, except for reading its own record, and its apps are suspended.'}
      </Text>
    </ActionButton>
  );
}

function FreezeAction({
  business: { id, name, isBanned },
  isFrozen,
}: {
  readonly business: BusinessView['business'];
  readonly isFrozen: boolean;
}) {
  const params = { path: { businessId: String(id) } };
  if (isFrozen) {
    return (
      <ActionButton
        action="Lift the freeze"
        title={`Lift the freeze on ${name}?`}
        done="The freeze is lifted."
        send={(reason) =>
          unwrap(operatorsApi.POST('/businesses/{businessId}/unfreeze', { params, body: { reason } }))
        }
      >
        <Text size="sm">
          {isBanned
            ? 'The ban stays: API requests can only read its own record.'
            : 'Its keys and connected apps work again immediately.'}
        </Text>
      </ActionButton>
    );
  }
  return (
    <ActionButton
      action="Freeze"
      title={`Freeze ${name}?`}
      destructive
      done="API access is frozen."
      send={(reason) =>
        unwrap(operatorsApi.POST('/businesses/{businessId}/freeze', { params, body: { reason } }))
      }
    >
      <Text size="sm">
        Every request with its keys or through connected apps is refused until an owner or an operator lifts
        the freeze.
      </Text>
    </ActionButton>
  );
}

function LogoAction({ business: { id, name } }: { readonly business: BusinessView['business'] }) {
  const params = { path: { businessId: String(id) } };
  return (
    <ActionButton
      action="Remove the logo"
      title={`Remove the logo of ${name}?`}
      destructive
      done="The logo is removed."
      send={(reason) =>
        unwrap(operatorsApi.POST('/businesses/{businessId}/remove-logo', { params, body: { reason } }))
      }
    >
      <Text size="sm">
        Its image is deleted. The owners can add another one, unless the business is banned.
      </Text>
    </ActionButton>
  );
}

function People({ people }: { readonly people: BusinessView['people'] }) {
  return (
    <Panel title="People">
      <RowsOrNone label="People" none="No people.">
        {people.map(({ personId, name, email, role, hasSecondFactor, lastSeenAt }) => (
          <Row
            key={personId}
            end={
              <StatusBadge tone={hasSecondFactor ? 'good' : 'warning'}>
                {hasSecondFactor ? 'Second factor' : 'No second factor'}
              </StatusBadge>
            }
          >
            <Text size="sm" className={classes.break ?? ''}>
              <strong>{name}</strong>, {email}, {role}
            </Text>
            <Text size="sm" c="dimmed">
              Last seen: <Timestamp at={lastSeenAt} absent="not recently" />
            </Text>
          </Row>
        ))}
      </RowsOrNone>
    </Panel>
  );
}

function AuditLog({ id }: { readonly id: string }) {
  const query = usePages(
    consoleKey('audit', id),
    (page, signal) =>
      unwrap(
        operatorsApi.GET('/businesses/{businessId}/audit-events', {
          params: { path: { businessId: id }, query: page },
          signal,
        }),
      ),
    ({ events }) => events,
  );
  return (
    <Panel title="Audit log">
      <Loaded query={query}>
        {(events) => (
          <Rows label="Audit log" isStacked>
            {events.map(({ id: eventId, at, words, actor, operator, clientIp, reason }) => (
              <Row key={eventId} end={<RowTime at={at} />}>
                <Text size="sm" className={classes.break ?? ''}>
                  {words}
                </Text>
                {reason !== null && (
                  <Text size="sm" className={classes.break ?? ''}>
                    Reason: {reason}
                  </Text>
                )}
                <Text size="sm" c="dimmed" className={classes.break ?? ''}>
                  {[operator === null ? actor : `operator ${operator}`, clientIp].filter(Boolean).join(', ')}
                </Text>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
      <LoadMore query={query} />
    </Panel>
  );
}
