import { ActionIcon, Button, Group, Popover, Text, Textarea, Tooltip, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './copy.module.css';

/** Milliseconds for which a button shows "Copied". */
const feedbackMs = 2_000;

/**
 * Copies a text and announces the result to screen readers. If the browser refuses, or has no clipboard because of http, shows
 * the text selected.
 */
export function CopyButton({
  value,
  what,
  label,
}: {
  readonly value: string;
  /** Object of "Copy …": "the key". */
  readonly what: string;
  /** Text of the button; without it, an icon. */
  readonly label?: string;
}) {
  const { copy, copied, error, reset } = useClipboard({ timeout: feedbackMs });
  const Icon = copied ? IconCheck : IconCopy;
  const onClick = () => copy(value);
  return (
    <Popover
      opened={error !== null}
      onDismiss={reset}
      position="bottom-end"
      width={320}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        {label === undefined ? (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={`Copy ${what}`}>
              <Icon size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={onClick}>
            {copied ? 'Copied' : label}
          </Button>
        )}
      </Popover.Target>
      <VisuallyHidden role="status">{copied ? `Copied ${what}` : ''}</VisuallyHidden>
      <Popover.Dropdown>
        <Textarea
          label={`Your browser did not let this page copy ${what}.`}
          description="The text is selected: copy it with Ctrl+C, ⌘C or the menu of your browser."
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          data-autofocus
          readOnly
          autosize
          maxRows={6}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** A value to copy exactly: an id, a key, a URL. */
export function CopyField({
  value,
  what,
  label,
}: {
  readonly value: string;
  /** Object of "Copy …": "the client ID". */
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

/** Code to paste into a terminal or a program. */
export function CodeBlock({
  code,
  what,
  wraps = false,
}: {
  readonly code: string;
  readonly what: string;
  /** Wraps long lines, such as a URL, instead of scrolling. */
  readonly wraps?: boolean;
}) {
  return (
    <div className={classes.block} data-wraps={wraps || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
