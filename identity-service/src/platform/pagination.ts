import { z } from 'zod';

/** A place in a list that has the newest first: behind the entry with this moment and id. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
}

/** A page of such a list. */
export interface Page {
  /** Entries at most. */
  readonly limit: number;
  /** The first page where undefined. */
  readonly after: Position | undefined;
}

/** Entries of one page. */
export const pageSize = 50;

const shape = /^p1:(0|[1-9]\d{0,14}):([\w-]{1,64})$/;

/** A cursor in a query, as the position that it means. Opaque to callers, so that it can change. */
export const pageCursor = z
  .string()
  .max(200)
  .transform((text, context): Position => {
    const [, at, id] = shape.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
    if (at !== undefined && id !== undefined) {
      const position = { at: Number(at), id };
      if (encode(position) === text) return position;
    }
    context.issues.push({ code: 'custom', input: text, message: 'is not a cursor of this list' });
    return z.NEVER;
  })
  .describe('The `nextCursor` of the page before.');

/** Of an answer that is a page. */
export const nextCursor = z.string().nullable().describe('For the next page; null on the last one.');

/** Reads one page of a list, and where the next one begins: null when this is the last. */
export async function readPage<Entry>(
  after: Position | undefined,
  positionOf: (entry: Entry) => Position,
  read: (page: Page) => Promise<readonly Entry[]>,
): Promise<{ readonly entries: readonly Entry[]; readonly nextCursor: string | null }> {
  const found = await read({ after, limit: pageSize + 1 });
  const entries = found.slice(0, pageSize);
  const last = found.length > pageSize ? entries.at(-1) : undefined;
  return { entries, nextCursor: last === undefined ? null : encode(positionOf(last)) };
}

function encode({ at, id }: Position): string {
  return Buffer.from(`p1:${at}:${id}`).toString('base64url');
}
