import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../api/errors.ts';
import { ConfirmDialog } from './dialog.tsx';
import { type Propagation, toastPropagation } from './toast.tsx';

const maxReason = 200;

interface SuspensionDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question: "Suspend “Shop”?". */
  readonly title: string;
  /** Explains the consequences. */
  readonly children: ReactNode;
}

/** Asks for a reason and suspends something. */
export function SuspendDialog({
  suspend,
  reasonHint,
  children,
  ...dialog
}: SuspensionDialogProps & {
  /** Sends the request and refreshes the page. */
  readonly suspend: (reason: string) => Promise<Propagation>;
  /** Readers of the reason, as a sentence. */
  readonly reasonHint: string;
}) {
  const [reason, setReason] = useState('');
  const mutation = useMutation({
    mutationFn: () => suspend(reason),
    onSuccess: (propagation) => {
      dialog.onClose();
      setReason('');
      toastPropagation(propagation);
    },
  });
  const reasonError = mutation.error === null ? undefined : fieldErrors(mutation.error).reason;
  return (
    <ConfirmDialog
      {...dialog}
      action="Suspend"
      destructive
      onClose={() => {
        mutation.reset();
        dialog.onClose();
      }}
      mutation={mutation}
      onConfirm={() => mutation.mutate()}
    >
      {children}
      <TextInput
        label="Reason"
        description={`Optional. ${reasonHint}`}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={maxReason}
        autoComplete="off"
        error={reasonError}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

/** Asks and lifts a suspension. */
export function ResumeDialog({
  resume,
  children,
  ...dialog
}: SuspensionDialogProps & {
  /** Sends the request and refreshes the page. */
  readonly resume: () => Promise<Propagation>;
}) {
  const mutation = useMutation({
    mutationFn: resume,
    onSuccess: (propagation) => {
      dialog.onClose();
      toastPropagation(propagation);
    },
  });
  return (
    <ConfirmDialog
      {...dialog}
      action="Resume"
      onClose={() => {
        mutation.reset();
        dialog.onClose();
      }}
      mutation={mutation}
      onConfirm={() => mutation.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
