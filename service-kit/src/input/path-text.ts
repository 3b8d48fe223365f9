const maxEcho = 100;

/** A name from a request, cut to 100 characters, for an error text. */
export function echo(name: string): string {
  return name.length > maxEcho ? `${name.slice(0, maxEcho)}…` : name;
}

/** A field's path as clients write it, with long names cut: `line_items[0].name`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${echo(String(part))}`))
    .join('');
}
