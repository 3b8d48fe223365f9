import { Prisma } from '../generated/client.ts';
import type { Position } from '../page.ts';

/** What is behind a position in a list that is ordered by `at` descending, then by `id`. */
export function behind(position: Position, at: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  const place = moment(position.at);
  return Prisma.sql`AND ${at} <= ${place} AND (${at} < ${place} OR ${id} > ${position.id})`;
}

/** Whole milliseconds, as they are stored: seconds with a fraction would come out beside them. */
export function moment(ms: number): Prisma.Sql {
  return Prisma.sql`(${new Date(ms)}::timestamptz(3))`;
}
