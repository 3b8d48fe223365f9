import { type Json, variableOf } from './request.ts';

/** How a language writes values. */
export interface Syntax {
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly object: readonly [open: string, close: string];
  readonly array: readonly [open: string, close: string];
  /** One level, such as two spaces. */
  readonly indent: string;
  /** Inside of braces on one line. */
  readonly padding: string;
  string(text: string): string;
  /** The value of an environment variable. */
  variable(name: string): string;
  /** The name of a field, with all that is before its value. */
  name(name: string): string;
}

const maxInline = 72;

/** A value in the syntax of a language: on one line where it is short. @param depth levels of indentation around it */
export function literal(value: Json, syntax: Syntax, depth: number): string {
  if (typeof value === 'string') return text(value, syntax);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? syntax.true : syntax.false;
  if (value === null) return syntax.null;
  const isArray = Array.isArray(value);
  const items = isArray
    ? value.map((item: Json) => literal(item, syntax, depth + 1))
    : Object.entries(value).map(([name, item]) => `${syntax.name(name)}${literal(item, syntax, depth + 1)}`);
  return enclose(items, isArray ? syntax.array : syntax.object, syntax, isArray ? '' : syntax.padding, depth);
}

function text(value: string, syntax: Syntax): string {
  const variable = variableOf(value);
  return variable === undefined ? syntax.string(value) : syntax.variable(variable);
}

function enclose(
  items: readonly string[],
  [open, close]: readonly [string, string],
  { indent }: Syntax,
  padding: string,
  depth: number,
): string {
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`;
  if (depth > 1 && line.length <= maxInline && !line.includes('\n')) return line;
  const inner = items.map((item) => `${indent.repeat(depth + 1)}${item},\n`).join('');
  return `${open}\n${inner}${indent.repeat(depth)}${close}`;
}

/** Text in single quotes, for languages in which a backslash escapes. */
export const singleQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
