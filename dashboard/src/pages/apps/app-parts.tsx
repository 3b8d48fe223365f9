import { Alert, Anchor, Code, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { count } from '../../parts/numbers.ts';
import type { Application, Connection, RegistrationObstacle } from './api.ts';

/** "3 of 50": connected businesses. Stands out when there is no room for another. */
export function ConnectedCount({
  application: { connectedUsers, connectedUserLimit },
}: {
  readonly application: Pick<Application, 'connectedUsers' | 'connectedUserLimit'>;
}) {
  const isFull = connectedUsers >= connectedUserLimit;
  return (
    <>
      {count(connectedUsers)} of {count(connectedUserLimit)}
      {isFull && (
        <Text span inherit c="var(--mantine-color-error)" fw={600}>
          {' '}
          – no room for another
        </Text>
      )}
    </>
  );
}

/** What a business approved, and what of it was never used though other permissions were. */
export function GrantedScopes({ connection }: { readonly connection: Connection }) {
  const { scopes, scopesUsed } = connection;
  const unused = scopes.filter((scope) => !scopesUsed.includes(scope));
  return (
    <>
      <Group gap={6}>
        {scopes.map((scope) => (
          <Code key={scope} fz="xs">
            {scope}
          </Code>
        ))}
      </Group>
      {unused.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {unused.length === scopes.length ? 'None of it was used yet' : `Not used yet: ${unused.join(', ')}`}
        </Text>
      )}
    </>
  );
}

/** Why no app can be registered now, and what helps. */
export function ObstacleNotice({ obstacle: { reason, text } }: { readonly obstacle: RegistrationObstacle }) {
  if (reason === 'application_limit_reached') {
    return (
      <Alert color="gray" icon={<IconInfoCircle />} role="status">
        {text} Delete one that you no longer need to make room for another.
      </Alert>
    );
  }
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title="Apps can be registered once the business is verified"
    >
      {text}{' '}
      <Anchor component={Link} href="/settings/business" inherit underline="always">
        Go to verification
      </Anchor>
    </Alert>
  );
}
