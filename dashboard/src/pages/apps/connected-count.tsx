import { Text } from '@mantine/core';
import { count } from '../../parts/numbers.ts';
import type { Application } from './applications.ts';

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
