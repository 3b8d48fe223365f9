import { cutPage, decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { z } from 'zod';
import { maxInstant } from './text.ts';

/** An entry's place in a list, newest first. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
}

/** A page of such a list. */
export interface Page {
  /** Entries at most. */
  readonly limit: number;
  /** The entry before the page; undefined for the first page. */
  readonly after: Position | undefined;
}

/** Entries of one page. */
export const pageSize = 50;

const shape = /^p1:(0|[1-9]\d{0,14}):([\w-]{1,64})$/;

/** A cursor in a query, as the position that it encodes. */
export const pageCursor = z
  .string()
  .max(200)
  .transform((text, context): Position => {
    const [at, id] = decodeCursor(text, shape) ?? [];
    if (id !== undefined && Number(at) <= maxInstant) return { at: Number(at), id };
    context.issues.push({ code: 'custom', input: text, message: 'is not a cursor of this list' });
    return z.NEVER;
  })
  .describe('The `nextCursor` of the page before.');

/** Of a response that is a page. */
export const nextCursor = z.string().nullable().describe('For the next page; null on the last one.');

/** Reads one page of a list; `nextCursor` is null on the last one. */
export async function readPage<Entry>(
  after: Position | undefined,
  positionOf: (entry: Entry) => Position,
  read: (page: Page) => Promise<readonly Entry[]>,
): Promise<{ readonly entries: readonly Entry[]; readonly nextCursor: string | null }> {
  const { entries, last } = cutPage(await read({ after, limit: pageSize + 1 }), pageSize);
  if (last === undefined) return { entries, nextCursor: null };
  return { entries, nextCursor: toCursor(positionOf(last)) };
}

/** A position as `pageCursor` reads it. */
export function toCursor({ at, id }: Position): string {
  return encodeCursor(`p1:${at}:${id}`);
}
