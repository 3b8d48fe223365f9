import type { Context, GlobalOptions } from './context.ts';
import { type Columns, cut, formatTable } from './table.ts';

/** Prints records: a table for people, for programs one JSON object per line. */
export function printRecords<Row>(
  { terminal }: Context,
  { json }: GlobalOptions,
  rows: readonly Row[],
  columns: Columns<Row>,
) {
  if (json) {
    for (const row of rows) terminal.out(toJson(row));
    return;
  }
  if (rows.length === 0) return terminal.note('None.');
  const [titles = '', ...lines] = formatTable(rows, columns, terminal.columns);
  terminal.out(terminal.hasColors ? `\u001b[1m${titles}\u001b[22m` : titles);
  for (const line of lines) terminal.out(line);
}

/** Prints one record: a line per field for people, for programs one JSON object. */
export function printRecord<Row>(
  { terminal }: Context,
  { json }: GlobalOptions,
  row: Row,
  columns: Columns<Row>,
) {
  if (json) return terminal.out(toJson(row));
  const fields = Object.entries(columns).map(([name, text]) => ({ name, text: text(row) }));
  const lines = formatTable(fields, { field: ({ name }) => name, value: ({ text }) => text });
  for (const line of lines.slice(1)) terminal.out(cut(line, terminal.columns));
}

/** JSON on one line. Control characters that JSON permits are escaped, since it may be shown on a terminal. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
}
