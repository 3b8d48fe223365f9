import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { ApiError } from '../api/errors.ts';

/** What the server says about a change that takes access away. */
export type Propagation = 'confirmed' | 'pending';

/** Says that a change is stored, and not yet known to every gateway. Nothing once it is. */
export function PropagationNotice({ propagation }: { readonly propagation: Propagation | undefined }) {
  if (propagation !== 'pending') return null;
  return (
    <Alert color="yellow" icon={<IconClock />} role="status" title="Done; gateways confirm within 30 seconds">
      The change is stored. Until every gateway has heard of it, a request may still get through as before.
    </Alert>
  );
}

/** Milliseconds that a message stays; longer where there is something to press. */
const messageMs = 5_000;

const undoMs = 10_000;

const confirmedMs = 30_000;

/** Says that something is done. */
export function toast(message: string): void {
  notifications.show({
    message,
    color: 'green',
    icon: <IconCheck size={16} aria-hidden />,
    autoClose: messageMs,
    role: 'status',
  });
}

/** Says that something is done, and offers to take it back. */
export function toastWithUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    color: 'green',
    icon: <IconCheck size={16} aria-hidden />,
    autoClose: undoMs,
    role: 'status',
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}

/** Says that a change that takes access away is not yet known to every gateway. Nothing once it is. */
export function toastPropagation(propagation: Propagation): void {
  if (propagation === 'confirmed') return;
  notifications.show({
    title: 'Gateways confirm within 30 seconds',
    message:
      'The change is stored. Until every gateway has heard of it, a request may still get through as before.',
    color: 'yellow',
    icon: <IconClock size={16} aria-hidden />,
    autoClose: confirmedMs,
    role: 'status',
  });
}

/** Says that something went wrong that no form or dialog is open for. */
export function toastError(error: Error): void {
  notifications.show({
    message: error instanceof ApiError ? error.message : 'Something in this page went wrong.',
    color: 'red',
    icon: <IconX size={16} aria-hidden />,
    autoClose: undoMs,
    role: 'alert',
  });
}
