/** A cursor: opaque to clients, so that its content can change. */
export function encodeCursor(content: string): string {
  return Buffer.from(content).toString('base64url');
}

/** The groups of `shape` in a cursor; undefined unless `encodeCursor` writes exactly this cursor for such content. */
export function decodeCursor(cursor: string, shape: RegExp): readonly string[] | undefined {
  const content = Buffer.from(cursor, 'base64url').toString();
  return encodeCursor(content) === cursor ? shape.exec(content)?.slice(1) : undefined;
}

/** A page of up to `limit` entries. */
interface CutPage<Entry> {
  readonly entries: readonly Entry[];
  /** The last entry, where another page follows. */
  readonly last: Entry | undefined;
}

/** Cuts a page out of up to `limit + 1` entries; the extra one shows that another page follows. */
export function cutPage<Entry>(found: readonly Entry[], limit: number): CutPage<Entry> {
  const entries = found.slice(0, limit);
  return { entries, last: found.length > limit ? entries.at(-1) : undefined };
}
