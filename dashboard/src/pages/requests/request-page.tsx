import { Alert, Anchor, Button, Code, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
  IconMapSearch,
  IconRefresh,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { CopyField } from '../../components/copy.tsx';
import { CredentialName } from '../../components/credential-name.tsx';
import { formatNumber } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { AllowAddress } from './allow-address.tsx';
import { RequestSearch } from './request-search.tsx';
import classes from './requests.module.css';
import { type ApiRequestDetail, type RequestCheck, useRequest } from './requests.ts';

const credentialTypes = {
  secret_key: 'Secret key',
  restricted_key: 'Restricted key',
  access_token: 'Access token',
  client: 'OAuth client',
} as const;

/** Recorded facts of a request. */
function RequestFacts({ request }: { readonly request: ApiRequestDetail }) {
  const { id, at, status, clientIp, credential, requests } = request;
  const facts: readonly Fact[] = [
    ['Status', <HttpStatusBadge key="status" status={status} />],
    ['Time', <Timestamp key="time" at={at} format="exact" />],
    ['IP address', <IpAddress key="address" ip={clientIp} />],
    ...(credential?.type === 'client' ? oauthFacts(request) : [scopeFact(request)]),
  ];
  return (
    <Panel title="Request">
      <DescriptionList items={facts} />
      <DescriptionList items={[['Key or app', <Credential key="credential" credential={credential} />]]} />
      {requests === 1 ? (
        <CopyField label="Request ID" value={id} what="the request ID" />
      ) : (
        <Text size="sm">
          {formatNumber(requests)} requests in this hour failed like this one: too many to record each.
        </Text>
      )}
    </Panel>
  );
}

type Fact = readonly [string, ReactNode];

function scopeFact({ requiredScope }: ApiRequestDetail): Fact {
  return ['Required scope', requiredScope === null ? 'None' : <Code key="scope">{requiredScope}</Code>];
}

function oauthFacts({ secretLastFour, publicError }: ApiRequestDetail): readonly Fact[] {
  return [
    ...(secretLastFour === null
      ? []
      : [['Client secret', <Code key="secret">cs_…{secretLastFour}</Code>] as const]),
    ['Response', publicError],
  ];
}

function Credential({ credential }: Pick<ApiRequestDetail, 'credential'>) {
  if (credential === null) return 'Unknown';
  const { type, id, limitId, caller } = credential;
  const note = (
    <>
      {credentialTypes[type]} <Code fz="xs">{id}</Code>
    </>
  );
  return (
    <>
      {caller === null ? (
        note
      ) : (
        <CredentialName credential={caller} note={note} isClient={type === 'client'} />
      )}
      {limitId !== null && (
        <Anchor component={Link} href={`/settings/developers/requests?credential=${limitId}`} size="sm">
          Other errors of this credential
        </Anchor>
      )}
    </>
  );
}

type Remedy = NonNullable<ApiRequestDetail['remedy']>;

const remedyLinks: Readonly<Record<Remedy['page'], { readonly label: string; path(id: string): string }>> = {
  api_key: { label: 'Open the key', path: (id) => `/settings/developers/keys/${id}` },
  api_keys: { label: 'Open your keys', path: () => '/settings/developers/keys' },
  application: { label: 'Open the app', path: (id) => `/settings/developers/apps/${id}` },
  connected: { label: 'Open connected apps', path: () => '/connected' },
  business: { label: 'Open the business settings', path: () => '/settings/business' },
};

/** Cause of the error and how to fix it. */
function RequestRemedy({ request }: { readonly request: ApiRequestDetail }) {
  const { problem, advice, help, remedy, status, missingAddress } = request;
  const mayChange = useMayChange();
  return (
    <Alert
      color={status >= 500 ? 'red' : 'yellow'}
      icon={<IconAlertTriangle />}
      title={problem}
      role="region"
      aria-label="What went wrong"
    >
      <Stack gap="md" align="flex-start">
        <Text size="sm">{advice}</Text>
        <Group gap="md">
          {missingAddress !== null && mayChange && <AllowAddress missing={missingAddress} />}
          {remedy !== null && <RemedyLink remedy={remedy} />}
          <Anchor href={help} target="_blank" rel="noopener" size="sm" underline="always">
            About this error
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}

function RemedyLink({ remedy: { page, id } }: { readonly remedy: Remedy }) {
  const { label, path } = remedyLinks[page];
  return (
    <Button component={Link} href={path(id ?? '')} size="xs">
      {label}
    </Button>
  );
}

const outcomes = {
  passed: { icon: IconCircleCheckFilled, color: 'var(--mantine-color-green-light-color)', label: 'Passed' },
  failed: { icon: IconCircleXFilled, color: 'var(--mantine-color-error)', label: 'Failed' },
  not_reached: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'Not checked' },
} as const;

/** The checks of a request and their outcomes. */
function DecisionSteps({ request }: { readonly request: ApiRequestDetail }) {
  return (
    <Panel title="Checks" description="Every request passes these checks in this order.">
      <ol className={classes.checks}>
        {request.decision.map((each) => (
          <Step key={each.check} check={each} problem={request.problem} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({
  check: { outcome, words },
  problem,
}: {
  readonly check: RequestCheck;
  readonly problem: string;
}) {
  const { icon: Icon, color, label } = outcomes[outcome];
  return (
    <li className={classes.check} data-outcome={outcome}>
      <Icon size={20} color={color} aria-hidden className={classes.checkIcon ?? ''} />
      <div>
        <Text
          size="sm"
          fw={outcome === 'failed' ? 600 : 400}
          {...(outcome === 'not_reached' && { c: 'dimmed' })}
        >
          {words}
        </Text>
        {outcome === 'failed' && (
          <Text size="sm" c="dimmed">
            {problem}
          </Text>
        )}
      </div>
      <Text size="xs" fw={600} c={color} className={classes.checkLabel ?? ''}>
        {label}
      </Text>
    </li>
  );
}

/** Explains why no request is recorded under an id. */
function RequestNotFound({ isFetching, onRetry }: { readonly isFetching: boolean; onRetry(): void }) {
  return (
    <Stack gap="lg">
      <RequestSearch />
      <EmptyState
        icon={IconMapSearch}
        title="No failed request with this ID"
        action={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isFetching}
            onClick={onRetry}
          >
            Check again
          </Button>
        }
      />
      <div>
        <Text size="sm" fw={600} mb="xs">
          Possible reasons
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>It was made just now: records take a few seconds to appear.</List.Item>
          <List.Item>It succeeded: only failed requests are recorded.</List.Item>
          <List.Item>It is older than 7 days, or older than one day if its credential was unknown.</List.Item>
          <List.Item>
            It belongs to another business, or was neither an API request nor one to an OAuth endpoint.
          </List.Item>
          <List.Item>Too many requests failed at once to record all of them.</List.Item>
        </List>
      </div>
    </Stack>
  );
}

export default function RequestPage() {
  const { requestId = '' } = useParams();
  const query = useRequest(requestId);
  if (query.data !== undefined) return <RequestView request={query.data} />;
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <>
      <PageHeader
        title={isMissing ? 'Request not found' : 'Request'}
        back={<BackLink href="/settings/developers/requests">Requests</BackLink>}
      />
      {isMissing ? (
        <RequestNotFound isFetching={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <Loaded query={query}>{() => null}</Loaded>
      )}
    </>
  );
}

function RequestView({ request }: { readonly request: ApiRequestDetail }) {
  const { title, method, path } = request;
  return (
    <>
      <PageHeader
        title={title}
        description={
          <code className={classes.line}>
            {method} {path}
          </code>
        }
        back={<BackLink href="/settings/developers/requests">Requests</BackLink>}
      />
      <Stack gap="lg">
        <RequestRemedy request={request} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <DecisionSteps request={request} />
          <RequestFacts request={request} />
        </SimpleGrid>
      </Stack>
    </>
  );
}
