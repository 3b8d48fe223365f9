import { Alert, Button, Checkbox, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { CodeBlock } from './code-block.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';

/** Shows a secret for the first and last time. Closes only for those who say that they have stored it. */
export function SecretOnce({
  secret,
  title,
  what,
  label,
  curl,
  children,
  onClose,
}: {
  /** Undefined closes the dialog. */
  readonly secret: string | undefined;
  /** "Your new API key". */
  readonly title: string;
  /** What it is, as in "Copy the key". */
  readonly what: string;
  /** Shown above it, where something else stands beside it. */
  readonly label?: string;
  /** A request that is ready to be pasted, where the secret can be tried by one: `curlWith(secret)`. */
  readonly curl?: string | undefined;
  /** What else has to be known now: a PropagationNotice. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  const [isStored, setStored] = useState(false);
  const opened = secret !== undefined;
  useEffect(() => {
    if (!opened) return;
    setStored(false);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [opened]);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<IconEyeOff />} p="sm">
          This is shown once. Store it where secrets belong; nobody can show it to you again.
        </Alert>
        {children}
        {secret !== undefined && (
          <CopyField value={secret} what={what} {...(label !== undefined && { label })} />
        )}
        {curl !== undefined && (
          <div>
            <Text size="sm" fw={500} mb={4}>
              Try it
            </Text>
            <CodeBlock code={curl} what="the command" />
          </div>
        )}
        <Checkbox
          label="I have stored it"
          checked={isStored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Button onClick={onClose} disabled={!isStored}>
          Done
        </Button>
      </Stack>
    </Dialog>
  );
}
