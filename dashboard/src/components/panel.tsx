import { Stack, Text, Title } from '@mantine/core';
import { type HTMLAttributes, type ReactNode, useId } from 'react';
import classes from './panel.module.css';

/** A bordered box. */
export function Surface({
  component: Tag = 'div',
  className = '',
  ...attributes
}: HTMLAttributes<HTMLElement> & { readonly component?: 'div' | 'section' | 'li' }) {
  return <Tag className={`${classes.surface} ${className}`} {...attributes} />;
}

/** A list of Surfaces, each an `li`. */
export function SurfaceList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}

/** A section of a page with its heading. */
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
