import { z } from 'zod';
import type { GrantPage, GrantPosition } from '../../grants/connection-reader.ts';

const pageSize = 50;
const plain = /^g1:(\d{1,15}):([\w-]{1,64})$/;

/** A cursor in a query, as the position that it means. Opaque to the page, so that it can change. */
export const grantCursor = z.string().transform((text, context): GrantPosition => {
  const [, createdAt, id] = plain.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (createdAt !== undefined && id !== undefined) {
    const position = { createdAt: Number(createdAt), id };
    if (encode(position) === text) return position;
  }
  context.issues.push({ code: 'custom', input: text, message: 'is no cursor of ours' });
  return z.NEVER;
});

/** Reads one page of Grants, and where the next one begins: null when this is the last. */
export async function readGrantPage<Of extends GrantPosition>(
  after: GrantPosition | undefined,
  read: (page: GrantPage) => Promise<Of[]>,
): Promise<{ readonly grants: readonly Of[]; readonly nextCursor: string | null }> {
  const found = await read({ after, limit: pageSize + 1 });
  const grants = found.slice(0, pageSize);
  const last = found.length > pageSize ? grants.at(-1) : undefined;
  return { grants, nextCursor: last === undefined ? null : encode(last) };
}

function encode({ createdAt, id }: GrantPosition): string {
  return Buffer.from(`g1:${createdAt}:${id}`).toString('base64url');
}
