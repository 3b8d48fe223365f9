import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { menuPathOf } from './menu-path.ts';
import { useCurrentBusiness } from './session-context.ts';

/** Whether a navigation happened within the dashboard since the page was loaded. */
let hasNavigated = false;

// wouter dispatches its history calls as window events. replaceState is not one of these: the redirect from /dashboard to
// a business is part of the first load.
for (const event of ['pushState', 'popstate']) {
  addEventListener(event, () => {
    hasNavigated = true;
  });
}

// New pages start at the top; on back and forward the browser restores the scroll position.
addEventListener('pushState', () => scrollTo({ top: 0, behavior: 'instant' }));

/** Sets the title of the browser tab. */
function usePageTitle(title: string, menuPath: readonly string[]): void {
  const business = useCurrentBusiness();
  const place = menuPath.length === 0 ? undefined : menuPath.join(' > ');
  const parts = [title, place, business?.name, 'Business API'].filter((part) => part !== undefined);
  const text = parts.join(' · ');
  useEffect(() => {
    document.title = text;
  }, [text]);
}

/**
 * Header of every page, also while it is loading: the h1, a description and the main actions. Sets the tab title, and
 * focuses the heading after a navigation, so that screen readers announce the page.
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
  /** A BackLink. */
  readonly back?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  const menuPath = menuPathOf(path);
  usePageTitle(title, menuPath);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new page, even with the same component
  useEffect(() => {
    if (hasNavigated) heading.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <Stack gap="xs" mb="xl" component="header">
      <Breadcrumb menuPath={menuPath} back={back} />
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

/** Sections of the menu that lead to the page, and the list that it belongs to. */
function Breadcrumb({ menuPath, back }: { readonly menuPath: readonly string[]; readonly back: ReactNode }) {
  if (menuPath.length === 0) return back;
  return (
    <Group component="nav" aria-label="Breadcrumb" gap={6}>
      <Text size="sm" c="dimmed">
        {menuPath.join(' > ')}
        {back !== undefined && ' >'}
      </Text>
      {back}
    </Group>
  );
}

/** Link above the heading to the list an item belongs to. */
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
