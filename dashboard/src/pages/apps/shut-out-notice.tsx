import { Alert, Button, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Caller } from './applications.ts';
import { ShutOutList } from './shut-out-list.tsx';

/** Warns while a whitelist is written that would refuse who called lately. Nothing when it would refuse nobody. */
export function ShutOutNotice({
  shutOut,
  onAdd,
}: {
  readonly shutOut: readonly Caller[];
  readonly onAdd: (...addresses: readonly string[]) => void;
}) {
  if (shutOut.length === 0) return null;
  const addresses = shutOut.flatMap(({ address }) => address ?? []);
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle />}
      role="status"
      title={
        addresses.length === 1
          ? 'An address that your app calls from would be refused'
          : `${addresses.length} addresses that your app calls from would be refused`
      }
    >
      <Stack gap="sm" align="flex-start">
        <ShutOutList shutOut={shutOut} />
        <Button variant="default" size="xs" onClick={() => onAdd(...addresses)}>
          {addresses.length === 1 ? 'Add it' : 'Add them'}
        </Button>
      </Stack>
    </Alert>
  );
}
