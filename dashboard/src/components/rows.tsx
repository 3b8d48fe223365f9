import { ActionIcon, Button, Center, Menu } from '@mantine/core';
import { IconDotsVertical, type TablerIcon } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import classes from './rows.module.css';
import { ErrorAlert } from './states.tsx';

/** A short list of `Row`. */
export function Rows({
  label,
  isStacked = false,
  children,
}: {
  readonly label?: string;
  /** Whether the end of each row stands below it on a phone. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <ul className={classes.rows} aria-label={label} data-stacked={isStacked || undefined}>
      {children}
    </ul>
  );
}

/** An entry, with its figure, state or button at the end. */
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
  /** Whether the act takes something away. */
  readonly destructive?: boolean;
  readonly onClick: () => void;
}

/** What may be done about one row of a list, behind three dots. */
export function RowMenu({
  label,
  items,
  loading = false,
}: {
  /** What the dots are to those who do not see them: "Change the key". */
  readonly label: string;
  readonly items: readonly RowMenuItem[];
  readonly loading?: boolean;
}) {
  const dots = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon ref={dots} variant="subtle" color="gray" aria-label={label} loading={loading}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label: act, icon: Icon, destructive = false, onClick }) => (
          <Menu.Item
            key={act}
            {...(destructive && { color: 'red' })}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => {
              // A dialog that opens now gives the focus back to what has it, and the menu goes away.
              dots.current?.focus();
              onClick();
            }}
          >
            {act}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The way to the next page of a list, by its cursor. Nothing at the end. */
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

/** What there is to know of something at a glance, each with its name. */
export function DescriptionList({
  items,
  isDense = false,
}: {
  readonly items: readonly (readonly [name: string, value: ReactNode])[];
  /** For many short ones. */
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
