import type { Database } from '@platform/service-kit/database.ts';
import type { Throttle } from '../throttle/throttle.ts';
import type { PrismaClient } from './prisma.ts';

interface CountRow {
  readonly count: number;
  readonly seconds_left: number;
}

/** Throttles in PostgreSQL: all replicas count together. @param scale multiplies every limit */
export function createThrottle(database: Database, prisma: PrismaClient, scale: number): Throttle {
  return {
    hit: (key, limit, windowSeconds) =>
      database.run(async () => {
        // A window starts at a multiple of its length. The count stops short of the column's end.
        const [row] = await prisma.$queryRaw<CountRow[]>`
          INSERT INTO throttle_counts AS stored (key, window_start, count)
          VALUES (${key}, date_bin(make_interval(secs => ${windowSeconds}), clock_timestamp(), 'epoch'), 1)
          ON CONFLICT (key, window_start) DO UPDATE SET count = least(stored.count + 1, 2000000000)
          RETURNING count,
            extract(epoch FROM window_start - clock_timestamp())::float8 + ${windowSeconds} AS seconds_left`;
        if (row === undefined) throw new Error('an upsert returned no row');
        return {
          allowed: row.count <= limit * scale,
          retryAfterSeconds: Math.max(1, Math.ceil(row.seconds_left)),
        };
      }),
  };
}
