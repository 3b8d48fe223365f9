import { Group, Text } from '@mantine/core';
import { unwrap } from '../api/client.ts';
import { formatNumber } from '../components/format.ts';
import { Panel } from '../components/panel.tsx';
import { Row } from '../components/rows.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ActionButton } from './action-button.tsx';
import { type BusinessView, operatorsApi } from './api.ts';
import { Keys } from './keys.tsx';
import classes from './operators.module.css';
import { RowsOrNone } from './rows.tsx';

type Application = BusinessView['applications'][number];

/** API keys and apps of a business, and their limits. */
export function Credentials({ view: { business, applications } }: { readonly view: BusinessView }) {
  const businessId = String(business.id);
  return (
    <>
      <Keys key={businessId} businessId={businessId} />
      <Panel title="Apps">
        <RowsOrNone label="Apps" none="No apps.">
          {applications.map((application) => (
            <AppRow key={application.id} businessId={businessId} application={application} />
          ))}
        </RowsOrNone>
      </Panel>
    </>
  );
}

const causes = {
  operator: 'by an operator',
  publisher: 'by its business',
  ban: 'because of the ban',
} as const;

interface AppRowProps {
  readonly businessId: string;
  readonly application: Application;
}

function AppRow({ businessId, application }: AppRowProps) {
  const { name, clientId, connectedUsers, connectedUserLimit, suspensions } = application;
  return (
    <Row end={<AppActions businessId={businessId} application={application} />}>
      <Text size="sm" className={classes.break ?? ''}>
        <strong>{name}</strong>, {clientId}, {formatNumber(connectedUsers)} of{' '}
        {formatNumber(connectedUserLimit)} connected businesses
      </Text>
      {suspensions.map(({ cause, reason, suspendedAt }) => (
        <Text key={cause} size="sm" c="dimmed" className={classes.break ?? ''}>
          Suspended {causes[cause]} <Timestamp at={suspendedAt} />
          {reason !== '' && `: ${reason}`}
        </Text>
      ))}
    </Row>
  );
}

function AppActions({ businessId, application }: AppRowProps) {
  const { id: applicationId, name, connectedUserLimit, suspensions } = application;
  const params = { path: { businessId, applicationId } };
  const path = '/businesses/{businessId}/applications/{applicationId}';
  const isSuspended = suspensions.some(({ cause }) => cause === 'operator');
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        action="Set the limit"
        title={`Set the limit of ${name}?`}
        limit={connectedUserLimit}
        done="The limit is set."
        send={(reason, limit) =>
          unwrap(operatorsApi.PUT(`${path}/limit`, { params, body: { reason, limit } }))
        }
      >
        <Text size="sm">
          Businesses that can be connected at the same time. Those that are connected stay.
        </Text>
      </ActionButton>
      {isSuspended ? (
        <ActionButton
          action="Resume"
          title={`Resume ${name}?`}
          done="The app is resumed."
          send={(reason) => unwrap(operatorsApi.POST(`${path}/resume`, { params, body: { reason } }))}
        >
          <Text size="sm">The same tokens work again.</Text>
        </ActionButton>
      ) : (
        <ActionButton
          action="Suspend"
          title={`Suspend ${name}?`}
          destructive
          done="The app is suspended."
          send={(reason) => unwrap(operatorsApi.POST(`${path}/suspend`, { params, body: { reason } }))}
        >
          <Text size="sm">Its tokens are refused immediately. Connections are kept.</Text>
        </ActionButton>
      )}
    </Group>
  );
}
