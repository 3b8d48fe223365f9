import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Group,
  CopyButton as MantineCopyButton,
  Stack,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './copy.module.css';
import { Dialog } from './dialog.tsx';

/** Milliseconds for which the button says that it has copied. */
const feedbackMs = 2_000;

/** Copies a text, and says so to everybody. */
export function CopyButton({
  value,
  what,
  label,
}: {
  readonly value: string;
  /** What is copied, as in "Copy the key". */
  readonly what: string;
  /** Text on the button; an icon alone where absent. */
  readonly label?: string;
}) {
  return (
    <MantineCopyButton value={value} timeout={feedbackMs}>
      {({ copied, copy }) => {
        const Icon = copied ? IconCheck : IconCopy;
        return (
          <>
            {label === undefined ? (
              <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
                <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${what}`}>
                  <Icon size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            ) : (
              <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={copy}>
                {copied ? 'Copied' : label}
              </Button>
            )}
            <VisuallyHidden role="status">{copied ? `Copied ${what}` : ''}</VisuallyHidden>
          </>
        );
      }}
    </MantineCopyButton>
  );
}

/** Something to be used elsewhere, letter by letter: an id, a key, an address. */
export function CopyField({
  value,
  what,
  label,
}: {
  readonly value: string;
  /** What it is, as in "Copy the client id". */
  readonly what: string;
  /** Shown above. */
  readonly label?: string;
}) {
  return (
    <div>
      {label !== undefined && (
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
      )}
      <Group className={classes.field} gap="xs" wrap="nowrap">
        <code className={classes.value}>{value}</code>
        <CopyButton value={value} what={what} />
      </Group>
    </div>
  );
}

/** Lines to paste into a terminal or a program. */
export function CodeBlock({
  code,
  what,
  wraps = false,
}: {
  readonly code: string;
  readonly what: string;
  /** For one long line, such as an address: shown whole instead of scrolling. */
  readonly wraps?: boolean;
}) {
  return (
    <div className={classes.block} data-wraps={wraps || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}

/** Shows a secret for the first and last time. Closes only for those who say that they have stored it. */
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
  /** What it is, as in "Copy the key". */
  readonly what: string;
  /** Shown above it, where something else stands beside it. */
  readonly label?: string;
  /** A request that is ready to be pasted, where the secret can be tried by one: `curlCommand(secret)`. */
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
