import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type HTMLAttributes, type ReactNode, useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { wasNavigated } from '../shell/arrival.ts';
import { usePageTitle } from '../shell/use-page-title.ts';
import classes from './panel.module.css';
import surfaceClasses from './surface.module.css';

/** What stands apart from the page. */
export function Surface({
  component: Tag = 'div',
  className = '',
  ...attributes
}: HTMLAttributes<HTMLElement> & { readonly component?: 'div' | 'section' | 'li' }) {
  return <Tag className={`${surfaceClasses.surface} ${className}`} {...attributes} />;
}

/** A list of surfaces, each an `li`. */
export function SurfaceList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={surfaceClasses.list} aria-label={label}>
      {children}
    </ul>
  );
}

/** A part of a page, with a heading of its own. */
export function Panel({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <Surface component="section" aria-labelledby={id}>
      <Stack gap="md">
        <div className={classes.head}>
          <div>
            <Title order={2} id={id}>
              {title}
            </Title>
            {description !== undefined && (
              <Text size="sm" c="dimmed" mt={2}>
                {description}
              </Text>
            )}
          </div>
          {actions}
        </div>
        {children}
      </Stack>
    </Surface>
  );
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
