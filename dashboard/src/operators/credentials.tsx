import { Button, Center, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { formatNumber } from '../components/format.ts';
import { Panel } from '../components/panel.tsx';
import { Row } from '../components/rows.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { type BusinessView, operatorsApi } from './api.ts';
import { Deed } from './deed.tsx';
import classes from './operators.module.css';
import { RowsOrNone } from './rows.tsx';

type Key = BusinessView['apiKeys'][number];

/** Keys that the API lists at most. */
const maxListed = 1_000;

type Application = BusinessView['applications'][number];

/** API keys and apps of a business, and their limits. */
export function Credentials({ view: { business, apiKeys, applications } }: { readonly view: BusinessView }) {
  const businessId = String(business.id);
  return (
    <>
      <Keys businessId={businessId} apiKeys={apiKeys} />
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

/** Rows added by "Show more". */
const pageSize = 50;

function Keys({ businessId, apiKeys }: { readonly businessId: string; readonly apiKeys: readonly Key[] }) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(pageSize);
  const search = text.trim().toLowerCase();
  const matching = apiKeys.filter(({ name, lastFour }) =>
    [name, lastFour].some((part) => part.toLowerCase().includes(search)),
  );
  return (
    <Panel title="API keys" description={apiKeys.length < maxListed ? undefined : 'The newest 1,000.'}>
      {apiKeys.length > pageSize && (
        <TextInput
          aria-label="Search by name or last four characters"
          placeholder="Name or last four characters"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <RowsOrNone label="API keys" none={apiKeys.length === 0 ? 'No API keys.' : 'No keys match.'}>
        {matching.slice(0, shown).map((key) => (
          <KeyRow key={key.id} businessId={businessId} apiKey={key} />
        ))}
      </RowsOrNone>
      {matching.length > shown && (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + pageSize)}>
            Show more
          </Button>
        </Center>
      )}
    </Panel>
  );
}

function KeyRow({ businessId, apiKey }: { readonly businessId: string; readonly apiKey: Key }) {
  const { id, name, keyType, lastFour, status, limit, lastUsedAt } = apiKey;
  const params = { path: { businessId, apiKeyId: id } };
  return (
    <Row
      end={
        <Deed
          action="Set the limit"
          title={`Set the limit of ${name}?`}
          limit={limit}
          done="The limit is set."
          send={(reason, wanted) =>
            unwrap(
              operatorsApi.PUT('/businesses/{businessId}/api-keys/{apiKeyId}/limit', {
                params,
                body: { reason, limit: wanted },
              }),
            )
          }
        >
          <Text size="sm">Requests in any hour, from now on.</Text>
        </Deed>
      }
    >
      <Text size="sm" className={classes.break ?? ''}>
        <strong>{name}</strong> (…{lastFour}), {keyType}, {status}, {formatNumber(limit)} requests an hour
      </Text>
      <Text size="sm" c="dimmed">
        Last used <Timestamp at={lastUsedAt} absent="never" />
      </Text>
    </Row>
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
    <Row end={<AppDeeds businessId={businessId} application={application} />}>
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

function AppDeeds({ businessId, application }: AppRowProps) {
  const { id: applicationId, name, connectedUserLimit, suspensions } = application;
  const params = { path: { businessId, applicationId } };
  const path = '/businesses/{businessId}/applications/{applicationId}';
  const isSuspended = suspensions.some(({ cause }) => cause === 'operator');
  return (
    <Group gap="xs" wrap="nowrap">
      <Deed
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
      </Deed>
      {isSuspended ? (
        <Deed
          action="Resume"
          title={`Resume ${name}?`}
          done="The app is resumed."
          send={(reason) => unwrap(operatorsApi.POST(`${path}/resume`, { params, body: { reason } }))}
        >
          <Text size="sm">The same tokens work again.</Text>
        </Deed>
      ) : (
        <Deed
          action="Suspend"
          title={`Suspend ${name}?`}
          destructive
          done="The app is suspended."
          send={(reason) => unwrap(operatorsApi.POST(`${path}/suspend`, { params, body: { reason } }))}
        >
          <Text size="sm">Its tokens are refused immediately. Connections are kept.</Text>
        </Deed>
      )}
    </Group>
  );
}
