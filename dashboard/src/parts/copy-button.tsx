import { ActionIcon, Button, CopyButton as MantineCopyButton, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

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
