import { useMatches } from '@mantine/core';
import type { ReactNode } from 'react';
import { CardList } from './card-list.tsx';
import { RowTable } from './row-table.tsx';

/** One thing that a list says of each entry. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand right, one above the other. */
  readonly numeric?: boolean;
  /** Buttons and menus of the entry: no heading that is seen, at the end. */
  readonly actions?: boolean;
  /** Cut off where it is long; the cell itself says all of it by a `title`. */
  readonly truncate?: boolean;
}

export interface DataTableProps<Row> {
  /** What is listed, for screen readers. */
  readonly label: string;
  /** The first one names the entry. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** For entries that can be opened: what stands beside keeps to the top. */
  readonly alignTop?: boolean;
  /** Width of the window below which there are cards; `sm` where absent. */
  readonly cardsBelow?: 'sm' | 'md';
}

/** A list of things: a table, or a card each where a table has no room. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { cardsBelow = 'sm' } = props;
  const isNarrow = useMatches({ base: true, [cardsBelow]: false }, { getInitialValueInEffect: false });
  return isNarrow ? <CardList {...props} /> : <RowTable {...props} />;
}
