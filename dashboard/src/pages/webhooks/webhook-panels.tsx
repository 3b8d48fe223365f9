import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlus, IconWebhook } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatNumber, pluralize } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { ViewerNote } from '../../components/viewer-note.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { type EndpointOwner, type Endpoints, useEndpoints } from './api.ts';
import { DeliveriesPanel } from './deliveries.tsx';
import { EndpointAlert } from './endpoint-alert.tsx';
import { EndpointFormDialog } from './endpoint-form.tsx';
import { EndpointDialogs, EndpointMenu, type OpenDialog } from './endpoint-menu.tsx';
import { type Endpoint, healthOf, successRate } from './health.ts';
import { LiveChanges } from './live.tsx';
import { RecoveryProgress } from './recovery-progress.tsx';
import { WithheldAlert } from './withheld-alert.tsx';

interface WebhookPanelsProps extends EndpointOwner {
  /** Events of an endpoint that selects none; undefined while the app has webhooks off. */
  readonly allEvents: string | undefined;
}

/** Endpoints and deliveries of an owner, as they change. */
export function WebhookPanels(props: WebhookPanelsProps) {
  return (
    <LiveChanges applicationId={props.applicationId}>
      <LoadedPanels {...props} />
    </LiveChanges>
  );
}

function LoadedPanels({ applicationId, allEvents }: WebhookPanelsProps) {
  const query = useEndpoints({ applicationId });
  const mayChange = useMayChange();
  return (
    <Loaded query={query}>
      {(data) =>
        data.installed ? (
          <Stack gap="lg">
            {allEvents === undefined && (
              <Alert color="yellow" icon={<IconAlertTriangle />} p="sm">
                Webhooks are off for this app: nothing is sent.{mayChange && ' Turn them on under Settings.'}
              </Alert>
            )}
            <EndpointsPanel data={data} applicationId={applicationId} allEvents={allEvents} />
            {data.endpoints.length > 0 && (
              <DeliveriesPanel endpoints={data.endpoints} applicationId={applicationId} />
            )}
          </Stack>
        ) : (
          <EmptyState icon={IconWebhook} title="Webhooks are not part of this installation">
            The operator of the platform can add them.
          </EmptyState>
        )
      }
    </Loaded>
  );
}

const columns: readonly Column<Endpoint>[] = [
  {
    header: 'Endpoint',
    cell: ({ url, description, events, maker }) => (
      <>
        <Code fz="xs">{url}</Code>
        {description !== '' && (
          <Text size="xs" c="dimmed" mt={4}>
            {description}
          </Text>
        )}
        <Text size="xs" c="dimmed" mt={4}>
          {events.length === 0 ? 'All events' : pluralize(events.length, 'event', 'events')}
        </Text>
        {maker !== null && (
          <Text size="xs" c="dimmed" mt={4}>
            Made by {maker.name}
            {!maker.isMember && ', no longer on the team'}
          </Text>
        )}
      </>
    ),
  },
  {
    header: 'Health',
    cell: (endpoint) => {
      const { tone, label } = healthOf(endpoint);
      return (
        <>
          <StatusBadge tone={tone}>{label}</StatusBadge>
          <Text size="xs" c="dimmed" mt={4}>
            {successRate(endpoint.recent)}
          </Text>
        </>
      );
    },
  },
  {
    header: 'p95',
    cell: ({ recent }) => (recent.attempts === 0 ? '–' : `${formatNumber(recent.p95Ms)} ms`),
    numeric: true,
  },
  { header: 'Pending', cell: ({ pending }) => formatNumber(pending), numeric: true },
  { header: 'Next attempt', cell: ({ nextAttemptAt }) => <Timestamp at={nextAttemptAt} absent="None" /> },
  { header: 'Last success', cell: ({ lastSuccessAt }) => <Timestamp at={lastSuccessAt} absent="Never" /> },
];

function EndpointsPanel({
  data: { endpoints, limit },
  applicationId,
  allEvents,
}: WebhookPanelsProps & { readonly data: Endpoints }) {
  const [isAdding, setAdding] = useState(false);
  const [dialog, setDialog] = useState<OpenDialog>();
  const isFull = endpoints.length >= limit;
  const mayChange = useMayChange();
  const actions: Column<Endpoint> = {
    header: 'Actions',
    actions: true,
    cell: (endpoint) => <EndpointMenu endpoint={endpoint} applicationId={applicationId} open={setDialog} />,
  };
  return (
    <Panel
      title="Endpoints"
      description={`Requests are signed according to Standard Webhooks. Up to ${limit} endpoints. ${allEvents ?? ''}`}
      actions={
        mayChange && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={isFull}
            onClick={() => setAdding(true)}
          >
            Add endpoint
          </Button>
        )
      }
    >
      <ViewerNote>change endpoints, see their secrets, or send events again</ViewerNote>
      {endpoints.map((endpoint) => (
        <Fragment key={endpoint.id}>
          <EndpointAlert endpoint={endpoint} applicationId={applicationId} open={setDialog} />
          <WithheldAlert endpoint={endpoint} applicationId={applicationId} open={setDialog} />
          <RecoveryProgress endpoint={endpoint} />
        </Fragment>
      ))}
      {endpoints.length === 0 ? (
        <Text size="sm" c="dimmed">
          No endpoint yet.{mayChange && ' Add the URL of your server that receives events.'}
        </Text>
      ) : (
        <DataTable
          label="Endpoints"
          columns={mayChange ? [...columns, actions] : columns}
          rows={endpoints}
          keyOf={({ id }) => id}
          cardsBelow="md"
        />
      )}
      <EndpointFormDialog
        endpoint={undefined}
        applicationId={applicationId}
        opened={isAdding}
        onClose={() => setAdding(false)}
      />
      <EndpointDialogs dialog={dialog} applicationId={applicationId} onClose={() => setDialog(undefined)} />
    </Panel>
  );
}
