import type { RequestPosition } from './request-store.ts';

const shape = /^r1:(0|[1-9]\d{0,14}):([0-9a-f-]{36})$/;

/** A place in a list as callers hand it back. Opaque to them, so that it can change. */
export function encodeRequestCursor({ at, id }: RequestPosition): string {
  return Buffer.from(`r1:${at}:${id}`).toString('base64url');
}

/** The place in a cursor; undefined when the text is none of ours. */
export function decodeRequestCursor(cursor: string): RequestPosition | undefined {
  const [, at, id] = shape.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (at === undefined || id === undefined) return undefined;
  const position = { at: Number(at), id };
  return encodeRequestCursor(position) === cursor ? position : undefined;
}
