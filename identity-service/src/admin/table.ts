/** Rows under their headings, in columns as wide as their widest cell. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** One record: a line per field. */
export function formatRecord(fields: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${`${name.padEnd(width)}  ${value}`.trimEnd()}\n`)
    .join('');
}
