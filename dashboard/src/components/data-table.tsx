import { Table, useMatches, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

/** The entries as rows. */
function RowTable<Row>({ label, columns, rows, keyOf, alignTop = false }: DataTableProps<Row>) {
  return (
    <div className={classes.frame}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead className={classes.head ?? ''}>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.header} scope="col" className={classOf(column)}>
                {column.actions === true ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody data-align-top={alignTop || undefined} className={classes.body ?? ''}>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.header} className={classOf(column)}>
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

function classOf<Row>({ numeric, actions, truncate }: Column<Row>): string {
  return [numeric && classes.numeric, actions && classes.actions, truncate && classes.truncate]
    .filter((name) => typeof name === 'string')
    .join(' ');
}

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

interface DataTableProps<Row> {
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

/** The entries as cards: the first column is the card's heading, the others follow with their names. */
function CardList<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  const facts = others.filter(({ actions }) => actions !== true);
  const actions = others.filter(({ actions }) => actions === true);
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
            {facts.map(({ header, cell }) => (
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
