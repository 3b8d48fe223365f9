import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { wasNavigated } from '../shell/arrival.ts';
import { usePageTitle } from '../shell/use-page-title.ts';

/**
 * The beginning of every page, also while it is loading: the one h1, what the page is for, and its main actions. Names
 * the browser's tab, and takes the focus when the page was navigated to, so that screen readers read it out.
 */
export function PageHeader({
  title,
  description,
  actions,
  back,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** Link to the page above. */
  readonly back?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  usePageTitle(title);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another page, also in the same component
  useEffect(() => {
    if (wasNavigated()) heading.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <Stack gap="xs" mb="xl" component="header">
      {back}
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} miw={0} flex="1 1 16rem">
          <Title order={1} tabIndex={-1} ref={heading}>
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" maw="44rem">
              {description}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
    </Stack>
  );
}
