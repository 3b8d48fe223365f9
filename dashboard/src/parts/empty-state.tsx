import { Center, Stack, Text, ThemeIcon } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** For a list without entries, or a page without content: what would be here, and how to begin. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon: TablerIcon;
  /** One sentence. */
  readonly title: string;
  readonly children?: ReactNode;
  /** Button or link that begins it. */
  readonly action?: ReactNode;
}) {
  return (
    <Center className={classes.box}>
      <Stack align="center" gap="md" maw="28rem">
        <ThemeIcon size={52} radius="xl" variant="light" aria-hidden>
          <Icon size={26} stroke={1.6} />
        </ThemeIcon>
        <Stack gap={4} align="center">
          <Text fw={600} ta="center">
            {title}
          </Text>
          {children !== undefined && (
            <Text c="dimmed" size="sm" ta="center">
              {children}
            </Text>
          )}
        </Stack>
        {action}
      </Stack>
    </Center>
  );
}
