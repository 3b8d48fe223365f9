import { Table, VisuallyHidden } from '@mantine/core';
import classes from './data-table.module.css';
import type { Column, DataTableProps } from './data-table.tsx';

/** The entries as rows. */
export function RowTable<Row>({ label, columns, rows, keyOf, alignTop = false }: DataTableProps<Row>) {
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
