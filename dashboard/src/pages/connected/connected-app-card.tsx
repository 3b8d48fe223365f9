import { Button, Text, Title } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useId } from 'react';
import { Address } from '../../parts/address.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { count } from '../../parts/numbers.ts';
import { Surface } from '../../parts/surface.tsx';
import { ApprovedScopes } from './approved-scopes.tsx';
import classes from './connected.module.css';
import type { ConnectedApp } from './connections.ts';
import { publisherOf } from './publisher-of.ts';

/** An app, its rights, what it does with them, and the way to end it. */
export function ConnectedAppCard({
  app,
  onDisconnect,
}: {
  readonly app: ConnectedApp;
  /** Undefined for those who may not. */
  readonly onDisconnect: (() => void) | undefined;
}) {
  const heading = useId();
  return (
    <Surface component="li" className={classes.card} aria-labelledby={heading}>
      <div className={classes.head}>
        <div>
          <Title order={2} id={heading}>
            {app.application.name}
          </Title>
          <Text size="sm" c="dimmed">
            {publisherOf(app)}
          </Text>
        </div>
        {onDisconnect !== undefined && (
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            size="sm"
            leftSection={<IconPlugConnectedX size={16} aria-hidden />}
            aria-describedby={heading}
            onClick={onDisconnect}
          >
            Disconnect
          </Button>
        )}
      </div>
      <Text size="sm" className={classes.description ?? ''}>
        {app.application.description}
      </Text>
      <ApprovedScopes app={app} />
      <AppFacts app={app} />
    </Surface>
  );
}

function AppFacts({ app }: { readonly app: ConnectedApp }) {
  const { lastUsedAt, lastUsedIp, requestsLastDay, approvedBy, approvedAt, connectedAt } = app;
  const lastUse = (
    <>
      <Moment at={lastUsedAt} absent="Never" />
      {lastUsedIp !== null && (
        <>
          {' from '}
          <Address ip={lastUsedIp} />
        </>
      )}
    </>
  );
  const approval = (
    <>
      <Moment at={approvedAt} format="date" /> by {approvedBy ?? 'somebody who has left'}
      {connectedAt.slice(0, 10) !== approvedAt.slice(0, 10) && (
        <Text size="xs" c="dimmed">
          First connected <Moment at={connectedAt} format="date" />
        </Text>
      )}
    </>
  );
  return (
    <Facts
      facts={[
        ['Last used', lastUse],
        ['Requests in the last 24 hours', count(requestsLastDay)],
        ['Approved', approval],
      ]}
    />
  );
}
