import { Button, Textarea, TextInput } from '@mantine/core';
import { notifyManager, useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { fieldErrors } from '../api/errors.ts';
import { ConfirmDialog } from '../components/dialog.tsx';
import { readCount } from '../components/format.ts';
import { toast, toastError } from '../components/toast.tsx';
import { useRefresh } from './api.ts';

const maxReason = 500;

interface ActionButtonProps {
  /** Label of the button, a verb: "Ban". */
  readonly action: string;
  /** The question: "Ban Acme?". */
  readonly title: string;
  /** Explains the consequences. */
  readonly children: ReactNode;
  readonly destructive?: boolean;
  /** Also asks for a limit, with this value prefilled. */
  readonly limit?: number;
  /** Sentence without its period about who reads the reason. Default: the owners. */
  readonly readers?: string;
  readonly send: (reason: string, limit: number) => Promise<unknown>;
  /** Text of the toast after success, possibly derived from the response. */
  readonly done: string | ((response: unknown) => string);
}

/** A button that asks for a reason and a confirmation, then makes a change. */
export function ActionButton({
  action,
  title,
  children,
  destructive = false,
  limit,
  readers,
  send,
  done,
}: ActionButtonProps) {
  const [opened, setOpened] = useState(false);
  const [reason, setReason] = useState('');
  const [wanted, setWanted] = useState('');
  const refresh = useRefresh();
  const open = () => {
    setWanted(String(limit ?? ''));
    setOpened(true);
  };
  const close = () => {
    setOpened(false);
    setReason('');
    sending.reset();
  };
  const sending = useMutation({
    mutationFn: () => send(reason, readCount(wanted)),
    onSuccess: async (response) => {
      close();
      toast(typeof done === 'string' ? done : done(response));
      await refresh();
    },
    // A refusal means that the state has changed. If the refreshed list lacks the row and its dialog, shows a toast instead.
    onError: async (error) => {
      await refresh();
      notifyManager.schedule(() => isShown.current || toastError(error));
    },
  });
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const errors = sending.error === null ? {} : fieldErrors(sending.error);
  return (
    <>
      <Button
        size="xs"
        variant={destructive ? 'light' : 'default'}
        color={destructive ? 'red' : 'accent'}
        onClick={open}
      >
        {action}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={title}
        action={action}
        destructive={destructive}
        mutation={sending}
        onConfirm={() => sending.mutate()}
      >
        {children}
        {limit !== undefined && (
          <TextInput
            label="Limit"
            withAsterisk
            aria-required
            inputMode="numeric"
            autoComplete="off"
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            error={errors.limit}
          />
        )}
        <Textarea
          label="Reason"
          description={`${readers ?? 'The owners see it'}. It stays in the log.`}
          withAsterisk
          aria-required
          autosize
          minRows={2}
          maxLength={maxReason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
          error={errors.reason}
          data-autofocus
        />
      </ConfirmDialog>
    </>
  );
}
