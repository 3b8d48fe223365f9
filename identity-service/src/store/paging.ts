import { Prisma } from '../generated/client.ts';
import type { Position } from '../page.ts';
import { moment } from './moment.ts';

/** What is behind a position in a list that is ordered by `at` descending, then by `id`. */
export function behind(position: Position, at: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  const place = moment(position.at);
  return Prisma.sql`AND ${at} <= ${place} AND (${at} < ${place} OR ${id} > ${position.id})`;
}
