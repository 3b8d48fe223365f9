import type { Database } from '@platform/service-kit/database/database.ts';
import { nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { type PrismaClient, sqlTimestamp } from '../platform/storage.ts';
import { type Check, promiseNames } from './check.ts';
import { histogramOf } from './histogram.ts';
import { keptViolations, type Measurements, shownDays } from './record.ts';

export type PromiseStore = ReturnType<typeof createPromiseStore>;

/** Keeps what the canary has measured, by promise and day (UTC). */
export function createPromiseStore(database: Database, prisma: PrismaClient) {
  return {
    /** Adds a check once, however often it is called with it. */
    addOnce: (check: Check): Promise<void> =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          const [end] = await insertCheck(client, check);
          if (end === undefined) return;
          await addToDay(client, check, end.at);
          await insertViolations(client, check, end.at);
        }),
      ),
    /** Everything that is shown: of the last `shownDays` days. */
    read: (): Promise<Measurements> => database.run(() => readMeasurements(prisma)),
  };
}

const checkEnd = z.object({ at: timestamp });

/** Resolves to no row for a check that is counted already. */
function insertCheck(client: Prisma.TransactionClient, { id, ageMs }: Check) {
  const statement = client.$queryRaw`
    INSERT INTO canary_checks (id, at)
    VALUES (${id}::uuid, clock_timestamp() - make_interval(secs => ${ageMs / 1000}::float8))
    ON CONFLICT DO NOTHING RETURNING at`;
  return readRows(checkEnd, statement);
}

async function addToDay(client: Prisma.TransactionClient, check: Check, at: number): Promise<void> {
  const { promise, timeMs, admittedPercent, violations } = check;
  const times = histogramOf(timeMs === undefined ? [] : [timeMs]);
  await client.$executeRaw`
    INSERT INTO promise_days AS stored
      (day, promise, checks, violations, times, slowest_ms, highest_percent, last_at)
    VALUES ((${sqlTimestamp(at)} AT TIME ZONE 'UTC')::date, ${promise}, 1, ${violations.length}, ${times}::int[],
            ${timeMs ?? null}::int, ${admittedPercent ?? null}::int, ${sqlTimestamp(at)})
    ON CONFLICT (day, promise) DO UPDATE
    SET checks = stored.checks + 1, violations = stored.violations + excluded.violations,
        times = ARRAY(
          SELECT before + added FROM unnest(stored.times, excluded.times) WITH ORDINALITY AS t (before, added, bucket)
          ORDER BY bucket),
        slowest_ms = greatest(stored.slowest_ms, excluded.slowest_ms),
        highest_percent = greatest(stored.highest_percent, excluded.highest_percent),
        last_at = greatest(stored.last_at, excluded.last_at)`;
}

async function insertViolations(
  client: Prisma.TransactionClient,
  { promise, violations }: Check,
  at: number,
): Promise<void> {
  const data = violations.map((each) => ({ ...each, promise, at: new Date(at) }));
  if (data.length > 0) await client.promiseViolation.createMany({ data });
}

const promise = z.enum(promiseNames);

const periodRow = z.object({ now: timestamp, days: z.array(z.string()) });

const dayRow = z.object({
  day: z.string(),
  promise,
  checks: z.int(),
  violations: z.int(),
  times: z.array(z.int()),
  slowestMs: nullable(z.int()),
  highestPercent: nullable(z.int()),
  lastAt: timestamp,
});

const violationRow = z.object({
  at: timestamp,
  promise,
  gateway: z.string(),
  requestId: z.string(),
  what: z.string(),
});

async function readMeasurements(prisma: PrismaClient): Promise<Measurements> {
  const [period] = await readRows(
    periodRow,
    prisma.$queryRaw`
      SELECT clock_timestamp() AS now,
             ARRAY(SELECT to_char((now() AT TIME ZONE 'UTC')::date - n, 'YYYY-MM-DD')
                   FROM generate_series(0, ${shownDays}::int - 1) AS n ORDER BY n) AS days`,
  );
  if (period === undefined) throw new Error('a SELECT without FROM returned no row');
  const first = period.days.at(-1);
  const rows = await readRows(
    dayRow,
    prisma.$queryRaw`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, promise, checks, violations, times, slowest_ms AS "slowestMs",
             highest_percent AS "highestPercent", last_at AS "lastAt"
      FROM promise_days WHERE day >= ${first}::date`,
  );
  const violations = await readRows(
    violationRow,
    prisma.$queryRaw`
      SELECT at, promise, gateway, request_id AS "requestId", what FROM promise_violations
      WHERE at >= (${first}::date)::timestamp AT TIME ZONE 'UTC' ORDER BY at DESC, id DESC LIMIT ${keptViolations}`,
  );
  return { ...period, rows, violations };
}
