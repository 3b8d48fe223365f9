import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './keys.module.css';

/** A part of a key's page. */
export function Panel({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.panel}>
      <Stack gap="md">
        <div className={classes.panelHead}>
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
    </section>
  );
}
