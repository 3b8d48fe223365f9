/** A query as it was sent. */
export interface Query {
  /** The decoded value of a parameter that comes once and is not empty; undefined otherwise. */
  get(name: string): string | undefined;
  /** The same value as it stood in the query, still encoded. */
  getRaw(name: string): string | undefined;
  /** Names that come more than once. */
  readonly repeated: readonly string[];
}

/** Reads a query without its question mark. Values keep their encoded form, so that one can be handed back byte for byte. */
export function parseQuery(text: string): Query {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const name = decode(end === -1 ? pair : pair.slice(0, end));
    values.set(name, [...(values.get(name) ?? []), end === -1 ? '' : pair.slice(end + 1)]);
  }
  const getRaw = (name: string) => {
    const [value, ...more] = values.get(name) ?? [];
    return more.length > 0 || value === '' ? undefined : value;
  };
  return {
    get: (name) => {
      const raw = getRaw(name);
      return raw === undefined ? undefined : decode(raw);
    },
    getRaw,
    repeated: [...values].flatMap(([name, given]) => (given.length > 1 ? [name] : [])),
  };
}

/** Form decoding that never fails: what encodes nothing stays as it is. */
function decode(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}
