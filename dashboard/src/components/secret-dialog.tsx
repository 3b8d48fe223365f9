import { Alert, Button, Checkbox, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { CodeBlock, CopyField } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { useStay } from './stay.ts';

/** Shows a new secret once. Can be closed only after confirming that it is stored. */
export function SecretDialog({
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
  /** Object of "Copy …": "the key". */
  readonly what: string;
  /** Label of the value, when the dialog shows other values. */
  readonly label?: string;
  /** Command that tries the secret: `curlCommand(secret)`. */
  readonly curl?: string | undefined;
  /** Further notices, such as a PropagationNotice. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  const [isStored, setStored] = useState(false);
  const opened = secret !== undefined;
  useEffect(() => {
    if (opened) setStored(false);
  }, [opened]);
  useStay(opened);
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
          This is shown only once. Store it in a safe place now.
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
