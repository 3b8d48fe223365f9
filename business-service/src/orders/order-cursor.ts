/** Where the next page starts: below this order number. Opaque to integrators, so that it can change. */
export function encodeOrderCursor(number: number): string {
  return Buffer.from(`n1:${number}`).toString('base64url');
}

/** The order number in a cursor; undefined when the text is none of ours. */
export function decodeOrderCursor(cursor: string): number | undefined {
  const digits = /^n1:([1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (digits === undefined || encodeOrderCursor(Number(digits)) !== cursor) return undefined;
  return Number(digits);
}
