import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fieldErrors } from '../api/errors.ts';
import { ConfirmDialog } from './dialog.tsx';
import { type Propagation, toastPropagation } from './toast.tsx';

const maxReason = 200;

interface ChangeDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question: "Suspend “Shop”?". */
  readonly title: string;
  /** Label of the confirm button, a verb: "Suspend". */
  readonly action: string;
  /** Whether the change removes access or data. */
  readonly destructive?: boolean;
  /** Explains the consequences. */
  readonly children: ReactNode;
  /** Sends the request and refreshes the page. `reason` is empty where none is asked for. */
  readonly change: (reason: string) => Promise<Propagation | undefined>;
  /** Asks for a reason: its readers, as a sentence. */
  readonly reasonHint?: string;
}

/** Asks for confirmation, makes the change, then closes and shows whether gateways have confirmed. */
export function ChangeDialog({ change, reasonHint, children, ...dialog }: ChangeDialogProps) {
  const [reason, setReason] = useState('');
  const mutation = useMutation({
    mutationFn: () => change(reason),
    onSuccess: (propagation) => {
      dialog.onClose();
      setReason('');
      if (propagation !== undefined) toastPropagation(propagation);
    },
  });
  const reasonError = mutation.error === null ? undefined : fieldErrors(mutation.error).reason;
  return (
    <ConfirmDialog
      {...dialog}
      onClose={() => {
        mutation.reset();
        dialog.onClose();
      }}
      mutation={mutation}
      onConfirm={() => mutation.mutate()}
    >
      {children}
      {reasonHint !== undefined && (
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
      )}
    </ConfirmDialog>
  );
}
