import { Prisma } from '../generated/client.ts';

/** Whole milliseconds, as they are stored: seconds with a fraction would come out beside them. */
export function moment(ms: number): Prisma.Sql {
  return Prisma.sql`(${new Date(ms)}::timestamptz(3))`;
}
