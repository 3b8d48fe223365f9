import { echo } from './http/errors.ts';

/** A field's path as clients write it, with long names cut: `line_items[0].name`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${echo(String(part))}`))
    .join('');
}
