import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import { failingDays, firstWarningHours, quietHours, type Warning, warningSteps } from './endpoint.ts';

const warningRow = z
  .object({
    endpointId: z.string(),
    businessId: integer,
    applicationId: z.string(),
    url: z.string(),
    step: z.int().min(1).max(warningSteps.length),
    isGone: z.boolean(),
    since: z.date(),
    disabledAt: z.date(),
  })
  .transform(({ businessId, applicationId, step, isGone, ...row }): Warning => {
    const reached = warningSteps[step - 1] ?? 'failing';
    return {
      ...row,
      owner: { businessId, applicationId },
      step: reached === 'disabled' && isGone ? 'gone' : reached,
    };
  });

/** Seconds until a warning that was not reported is reported again. */
const againSeconds = 60;

export type WarningStore = ReturnType<typeof createWarningStore>;

/** Finds in PostgreSQL whose owners must be warned. All times are the database's. */
export function createWarningStore(prisma: PrismaClient, database: Database) {
  return {
    /**
     * Takes warnings that are due, for a minute. A failing endpoint only counts while it has pending deliveries: otherwise no
     * attempt could show that it works again. After a quiet time, its next failure begins a new period.
     */
    take: (limit: number): Promise<Warning[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          UPDATE endpoints e SET warn_after = clock_timestamp() + make_interval(secs => ${againSeconds})
          FROM (
            SELECT f.id, p.step, p.since FROM endpoints f, LATERAL (SELECT
                coalesce(f.failing_since, f.disabled_at) AS since,
                CASE WHEN NOT f.enabled THEN 3
                  WHEN f.failing_since <= clock_timestamp() - make_interval(days => ${failingDays}) / 2 THEN 2
                  ELSE 1 END AS step) AS p
            WHERE (f.failing_since IS NOT NULL OR NOT f.enabled)
              AND (f.disabled_reason IN ('gone', 'failing') OR f.enabled
                AND f.failing_since <= clock_timestamp() - make_interval(hours => ${firstWarningHours})
                AND coalesce(f.last_failure_at > clock_timestamp() - make_interval(hours => ${quietHours}), true)
                AND EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = f.id AND d.status = 'pending'))
              AND (f.warn_after IS NULL OR f.warn_after <= clock_timestamp())
              AND (f.warned_since IS DISTINCT FROM p.since OR f.warned_step < p.step)
            LIMIT ${limit} FOR UPDATE OF f SKIP LOCKED) AS due
          WHERE e.id = due.id
          RETURNING e.id AS "endpointId", e.business_id AS "businessId", e.application_id AS "applicationId", e.url,
            due.step, e.disabled_reason IS NOT DISTINCT FROM 'gone' AS "isGone", due.since,
            coalesce(e.disabled_at, due.since + make_interval(days => ${failingDays})) AS "disabledAt"`;
        return readRows(warningRow, statement);
      }),
    /** Records that the owners were warned. The next step of the period may follow at once. */
    setWarned: ({ endpointId, step, since }: Warning): Promise<unknown> =>
      database.run(() =>
        prisma.endpoint.updateMany({
          where: { id: endpointId },
          data: {
            warnedStep: step === 'gone' ? warningSteps.length : warningSteps.indexOf(step) + 1,
            warnedSince: since,
            warnAfter: null,
          },
        }),
      ),
  };
}
