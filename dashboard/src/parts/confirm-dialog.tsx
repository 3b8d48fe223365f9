import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { ActionError } from './action-error.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question: "Rotate this key?". */
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The act, as a verb: "Rotate". */
  readonly action: string;
  /** Whether the act takes something away. */
  readonly destructive?: boolean;
  /** A mutation: close the dialog in its `onSuccess`. */
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  /** Keeps the act from being done, beside a mutation that is under way. */
  readonly disabled?: boolean;
}

/** Asks before something is done, shows what follows from it, and what the server has against it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    opened,
    onClose,
    title,
    children,
    action,
    destructive = false,
    mutation,
    onConfirm,
    disabled,
  } = props;
  const form = useId();
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeOnClickOutside={!mutation.isPending}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (disabled !== true) onConfirm();
        }}
      >
        <Stack gap="md">
          {children}
          <ActionError error={mutation.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={mutation.isPending}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={destructive ? 'red' : 'accent'}
              loading={mutation.isPending}
              disabled={disabled ?? false}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
