/** A piece of SQL for ClickHouse, in which every value is a literal. Only `sql` and `joinSql` make one. */
export interface Sql {
  readonly text: string;
}

/** Puts values into a statement: text and numbers as literals, pieces of SQL as they are. Servers before 2020 bind no parameters. */
export function sql(parts: TemplateStringsArray, ...values: readonly (string | number | Sql)[]): Sql {
  return {
    text: parts.map((part, index) => `${index === 0 ? '' : literal(values[index - 1])}${part}`).join(''),
  };
}

export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return { text: pieces.map(({ text }) => text).join(separator) };
}

function literal(value: string | number | Sql | undefined): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'object') return value.text;
  throw new RangeError('not a value of ClickHouse');
}
