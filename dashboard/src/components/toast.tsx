import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { errorMessage } from '../api/errors.ts';

/** Whether all gateways have applied a change of access. */
export type Propagation = 'confirmed' | 'pending';

const pendingText =
  'The change is saved, but not every gateway has confirmed it yet. Until then, requests may still be accepted or refused as before.';

/** Says that a stored change may take effect with a delay. */
export function PropagationNotice({ propagation }: { readonly propagation: Propagation | undefined }) {
  if (propagation !== 'pending') return null;
  return (
    <Alert color="yellow" icon={<IconClock />} role="status" title="Saved; takes effect within 30 seconds">
      {pendingText}
    </Alert>
  );
}

/** Milliseconds for which a toast is shown. */
const messageMs = 5_000;

const undoMs = 10_000;

const confirmedMs = 30_000;

/** Confirms an action. */
export function toast(message: string): void {
  notifications.show({
    message,
    color: 'green',
    icon: <IconCheck size={16} aria-hidden />,
    autoClose: messageMs,
    role: 'status',
  });
}

/** Confirms an action and offers to undo it. */
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

/** PropagationNotice as a toast. */
export function toastPropagation(propagation: Propagation): void {
  if (propagation === 'confirmed') return;
  notifications.show({
    title: 'Takes effect within 30 seconds',
    message: pendingText,
    color: 'yellow',
    icon: <IconClock size={16} aria-hidden />,
    autoClose: confirmedMs,
    role: 'status',
  });
}

/** Says what a change could not do. Stays until it is closed. */
export function toastWarning(message: string): void {
  notifications.show({
    message,
    color: 'yellow',
    icon: <IconAlertTriangle size={16} aria-hidden />,
    autoClose: false,
    role: 'alert',
  });
}

/** Shows an error outside of forms and dialogs. */
export function toastError(error: Error): void {
  notifications.show({
    message: errorMessage(error),
    color: 'red',
    icon: <IconX size={16} aria-hidden />,
    autoClose: undoMs,
    role: 'alert',
  });
}
