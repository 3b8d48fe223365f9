import { Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

/** Asks before something that cannot be undone: only who types the name may go on. */
export function ConfirmByName({
  name,
  children,
  ...dialog
}: Omit<ConfirmDialogProps, 'disabled' | 'destructive'> & { readonly name: string }) {
  const [typed, setTyped] = useState('');
  const { opened } = dialog;
  useEffect(() => {
    if (opened) setTyped('');
  }, [opened]);
  return (
    <ConfirmDialog {...dialog} destructive disabled={typed.trim() !== name.trim()}>
      {children}
      <TextInput
        label={
          <Text span inherit>
            Type <strong>{name}</strong> to confirm
          </Text>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
