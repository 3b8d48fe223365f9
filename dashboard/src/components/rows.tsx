import { ActionIcon, Button, Center, Menu } from '@mantine/core';
import { IconDotsVertical, type TablerIcon } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import classes from './rows.module.css';
import { ErrorAlert } from './states.tsx';

/** A list of Rows. */
export function Rows({
  label,
  isStacked = false,
  children,
}: {
  readonly label?: string;
  /** Moves the end of each row below it on a phone. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <ul className={classes.rows} aria-label={label} data-stacked={isStacked || undefined}>
      {children}
    </ul>
  );
}

/** A row with a figure, status or button at its end. */
export function Row({ end, children }: { readonly end: ReactNode; readonly children: ReactNode }) {
  return (
    <li className={classes.row}>
      <div>{children}</div>
      <div>{end}</div>
    </li>
  );
}

interface RowMenuItem {
  readonly label: string;
  readonly icon: TablerIcon;
  /** Whether the action removes access or data. */
  readonly destructive?: boolean;
  readonly onClick: () => void;
}

/** Menu of actions of one row. */
export function RowMenu({
  label,
  items,
  loading = false,
}: {
  /** Accessible name: "Actions for Shop". */
  readonly label: string;
  readonly items: readonly RowMenuItem[];
  readonly loading?: boolean;
}) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={label} loading={loading}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label: itemLabel, icon: Icon, destructive = false, onClick }) => (
          <Menu.Item
            key={itemLabel}
            {...(destructive && { color: 'red' })}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => {
              // The menu unmounts: a dialog opened now must return the focus to the button.
              button.current?.focus();
              onClick();
            }}
          >
            {itemLabel}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Loads the next page of a list; nothing on the last page. */
export function LoadMore({
  query,
}: {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'isFetchNextPageError' | 'error'
  >;
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError, error } = query;
  if (!hasNextPage) return null;
  return (
    <>
      {isFetchNextPageError && <ErrorAlert error={error} />}
      <Center mt="md">
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchNextPageError ? 'Try again' : 'Show more'}
        </Button>
      </Center>
    </>
  );
}

/** Names and values. */
export function DescriptionList({
  items,
  isDense = false,
}: {
  readonly items: readonly (readonly [name: string, value: ReactNode])[];
  /** Narrow columns, for many short values. */
  readonly isDense?: boolean;
}) {
  return (
    <dl className={classes.facts} data-dense={isDense || undefined}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
