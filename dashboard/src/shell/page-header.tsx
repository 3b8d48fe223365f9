import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useCurrentBusiness } from './session-context.ts';

let navigated = false;

/** Whether a page within the dashboard was gone to since the browser loaded it. */
const hasNavigated = (): boolean => navigated;

// wouter announces what it does to the history as events of the window. Replacing an address, as on the way from
// /dashboard to a business, is part of an arrival.
for (const event of ['pushState', 'popstate']) {
  addEventListener(event, () => {
    navigated = true;
  });
}

// A new page begins at its top; back and forward are the browser's own, which knows where one was.
addEventListener('pushState', () => scrollTo({ top: 0, behavior: 'instant' }));

/** Names the browser's tab after the page and the business. */
function usePageTitle(title: string): void {
  const business = useCurrentBusiness();
  const parts = [title, business?.name, 'Business API'].filter((part) => part !== undefined);
  const text = parts.join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}

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
    if (hasNavigated()) heading.current?.focus({ preventScroll: true });
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

/** The way from one thing back to the list of all of them, above a page's heading. */
export function BackLink({
  href,
  children,
}: {
  readonly href: string;
  /** Name of the list. */
  readonly children: string;
}) {
  return (
    <Anchor component={Link} href={href} size="sm" w="fit-content">
      <Group component="span" gap={4}>
        <IconArrowLeft size={14} aria-hidden />
        {children}
      </Group>
    </Anchor>
  );
}
