import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import type { Caller } from './applications.ts';
import { ShutOutList } from './shut-out-list.tsx';

/** A change of the whitelist that would refuse who called lately. */
export interface ShutOutDoubt {
  /** Empty where there is no doubt. */
  readonly shutOut: readonly Caller[];
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before addresses are shut out that called with success lately. */
export function ConfirmShutOut({ doubt: { shutOut, ...dialog } }: { readonly doubt: ShutOutDoubt }) {
  return (
    <ConfirmDialog
      title="Shut out addresses that are in use?"
      action="Save and shut them out"
      destructive
      opened={shutOut.length > 0}
      {...dialog}
    >
      <Text size="sm">
        Your app called from here in the last 7 days. With this whitelist, calls from there are refused at
        once:
      </Text>
      <ShutOutList shutOut={shutOut} />
    </ConfirmDialog>
  );
}
