import { Group, Text } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

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
