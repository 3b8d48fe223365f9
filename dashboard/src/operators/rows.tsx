import { Text } from '@mantine/core';
import { Children, type ReactNode } from 'react';
import { Rows } from '../components/rows.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** A list of Rows, or a sentence where there are none. */
export function RowsOrNone({
  label,
  none,
  children,
}: {
  readonly label: string;
  /** Text for an empty list: "No apps." */
  readonly none: string;
  readonly children: ReactNode;
}) {
  if (Children.count(children) === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <Rows label={label} isStacked>
      {children}
    </Rows>
  );
}

/** Time at the end of a row of a log. */
export function RowTime({ at }: { readonly at: string }) {
  return (
    <Text size="sm" c="dimmed">
      <Timestamp at={at} />
    </Text>
  );
}
