import { Table, useMatches, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

function RowTable<Row>({ label, columns, rows, keyOf, alignTop = false }: DataTableProps<Row>) {
  return (
    <div className={classes.frame}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead className={classes.head ?? ''}>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.header} scope="col" className={cellClass(column)}>
                {column.actions === true ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody data-align-top={alignTop || undefined} className={classes.body ?? ''}>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.header} className={cellClass(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function cellClass<Row>({ numeric, actions, truncate }: Column<Row>): string {
  return [numeric && classes.numeric, actions && classes.actions, truncate && classes.truncate]
    .filter((name) => typeof name === 'string')
    .join(' ');
}

/** A column of a DataTable. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns numbers to the right. */
  readonly numeric?: boolean;
  /** Checkboxes, buttons and menus of a row; the header is visible to screen readers only. */
  readonly actions?: boolean;
  /** Truncates long text; the cell has a `title`. */
  readonly truncate?: boolean;
}

interface DataTableProps<Row> {
  /** Accessible name of the list. */
  readonly label: string;
  /** The first one without actions identifies the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Aligns cells to the top, for rows that expand. */
  readonly alignTop?: boolean;
  /** Breakpoint below which rows become cards; `sm` by default. */
  readonly cardsBelow?: 'sm' | 'md';
}

/** A table that becomes a list of cards on narrow screens. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { cardsBelow = 'sm' } = props;
  const isNarrow = useMatches({ base: true, [cardsBelow]: false }, { getInitialValueInEffect: false });
  return isNarrow ? <CardList {...props} /> : <RowTable {...props} />;
}

/** Rows as cards: the first column without actions is the heading, the others follow with their headers. */
function CardList<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...details] = columns.filter(({ actions }) => actions !== true);
  const actions = columns.filter(({ actions }) => actions === true);
  return (
    <ul aria-label={label} className={classes.cards}>
      {rows.map((row) => (
        <li key={keyOf(row)} className={classes.card}>
          <div className={classes.title}>
            <div className={classes.name}>{first?.cell(row)}</div>
            {actions.map(({ header, cell }) => (
              <div key={header}>{cell(row)}</div>
            ))}
          </div>
          <dl className={classes.facts}>
            {details.map(({ header, cell }) => (
              <div key={header} className={classes.fact}>
                <dt>{header}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
