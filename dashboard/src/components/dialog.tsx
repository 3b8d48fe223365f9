import { Button, Group, Modal, type ModalProps, Stack, Text, TextInput } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useOpenAfterMount } from './hooks.ts';
import { isSameName } from './same-name.ts';
import { ErrorAlert } from './states.tsx';

/**
 * A modal that keeps its content while it closes, even if its subject has changed, and then returns the focus. It cannot be
 * closed during a change, because the response may contain something that is shown only once.
 */
export function Dialog(props: ModalProps) {
  const opened = useOpenAfterMount(props.opened);
  const isChanging = useIsMutating() > 0;
  const [last, setLast] = useState<ModalProps>();
  if (opened && last !== props) setLast(props);
  const shown = opened || last === undefined ? props : last;
  return (
    <Modal
      {...shown}
      opened={opened}
      onClose={isChanging ? ignore : shown.onClose}
      closeButtonProps={{ disabled: isChanging }}
      onExitTransitionEnd={() => setLast(undefined)}
    />
  );
}

const ignore = () => undefined;

/** Props of ConfirmDialog. */
export interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question: "Rotate this key?". */
  readonly title: string;
  /** Explains the consequences. */
  readonly children: ReactNode;
  /** Label of the confirm button, a verb: "Rotate". */
  readonly action: string;
  /** Label of the button that closes the dialog: "Cancel", or "Close" once there is nothing to cancel. */
  readonly close?: string;
  /** Whether the action removes access or data. */
  readonly destructive?: boolean;
  /** A mutation: close the dialog in its `onSuccess`. */
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  /** Disables the confirm button. */
  readonly disabled?: boolean;
  /** Room for a table or code. */
  readonly wide?: boolean;
}

/** Asks for confirmation, explains the consequences and shows the error of the mutation. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    opened,
    onClose,
    title,
    children,
    action,
    close = 'Cancel',
    destructive = false,
    mutation,
    onConfirm,
    disabled,
    wide = false,
  } = props;
  const form = useId();
  return (
    <Dialog opened={opened} onClose={onClose} title={title} {...(wide && { size: 'xl' })}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (disabled !== true) onConfirm();
        }}
      >
        <Stack gap="md">
          {children}
          <ErrorAlert error={mutation.error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} disabled={mutation.isPending}>
              {close}
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

/** Confirms an action that cannot be undone, by typing a name. */
export function TypeToConfirmDialog({
  name,
  children,
  ...dialog
}: Omit<ConfirmDialogProps, 'disabled' | 'destructive'> & { readonly name: string }) {
  const [text, setText] = useState('');
  const { opened } = dialog;
  useEffect(() => {
    if (opened) setText('');
  }, [opened]);
  return (
    <ConfirmDialog {...dialog} destructive disabled={!isSameName(name, text)}>
      {children}
      <TextInput
        label={
          <Text span inherit>
            Type <strong>{name}</strong> to confirm
          </Text>
        }
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
