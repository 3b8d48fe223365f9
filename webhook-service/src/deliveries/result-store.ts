import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { failingDays, quietHours } from '../endpoints/endpoint.ts';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import type { Claim } from './claim-store.ts';

/** An attempt that has ended, as it is stored. */
export interface AttemptRecord extends Claim {
  readonly endpointId: string;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status: number | undefined;
  readonly responseStart: string;
  readonly errorCode: string | undefined;
  /** State of the delivery afterwards, and attempts of the current schedule. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed';
  readonly round: number;
  /** Milliseconds until the next attempt, for the state pending. */
  readonly retryAfterMs: number | undefined;
}

/** Health of an endpoint after some of its attempts. */
export interface HealthRecord {
  readonly endpointId: string;
  /** URL of the attempts. They say nothing about a receiver at another URL. */
  readonly url: string;
  /** Whether one of the attempts succeeded. */
  readonly succeeded: boolean;
  /** Whether the last of the attempts failed. */
  readonly failing: boolean;
  /** Attempts in a row at which the receiver was down, those before included. */
  readonly consecutiveOutages: number;
  /** Milliseconds for which the circuit breaker lets no attempt start. */
  readonly pauseMs: number | undefined;
  /** Whether the receiver responded with 410. */
  readonly gone: boolean;
}

/** Maximum age of the stored last success. It is not updated on every success. */
const lastSuccessMs = 1_000;

export type ResultStore = ReturnType<typeof createResultStore>;

/** Results of attempts in PostgreSQL. All times are the database's. */
export function createResultStore(prisma: PrismaClient, database: Database) {
  return {
    /**
     * Stores attempts and the resulting health of their endpoints, in one statement. Drops attempts whose endpoint a later
     * turn holds, or whose delivery has had another attempt. A delivery that was skipped or resent in the meantime keeps that
     * state, unless it was delivered. Resolves to the deliveries of stored attempts.
     */
    record: (
      attempts: readonly AttemptRecord[],
      health: readonly HealthRecord[],
    ): Promise<ReadonlySet<string>> =>
      database.run(async () => {
        const rows = await readRows(z.object({ id: z.string() }), storeResults(prisma, attempts, health));
        return new Set(rows.map(({ id }) => id));
      }),
  };
}

/** Whether a delivery `d` was skipped or resent during an attempt that failed with the result `r`. */
const wasChanged = Prisma.sql`((d.status = 'skipped' OR d.round <> r.round - 1) AND r."deliveryStatus" <> 'delivered')`;

/**
 * Locks the endpoints to write (`changed`) before their deliveries, in the same order as a deletion. The `failing_since` of
 * `changed` is the begin of the period that a failure continues: none after a quiet time, since nothing is known about it.
 */
function storeResults(
  prisma: PrismaClient,
  attempts: readonly AttemptRecord[],
  health: readonly HealthRecord[],
) {
  return prisma.$queryRaw`
    WITH result AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(attempts)}::json) AS r (
        "deliveryId" text, "endpointId" text, turn text, number int, "startedAtMs" float8, "durationMs" float8,
        outcome text, status int, "responseStart" text, "errorCode" text, "deliveryStatus" text, round int,
        "retryAfterMs" float8)),
    health AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(health)}::json) AS h (
        "endpointId" text, url text, succeeded boolean, failing boolean, "consecutiveOutages" int, "pauseMs" float8,
        gone boolean)),
    changed AS MATERIALIZED (
      SELECT e.id, e.url, CASE WHEN e.last_failure_at < clock_timestamp() - make_interval(hours => ${quietHours}) THEN NULL
        ELSE e.failing_since END AS failing_since
      FROM endpoints e JOIN health h ON h."endpointId" = e.id AND h.url = e.url
      WHERE h.failing OR e.failing_since IS NOT NULL OR e.consecutive_outages <> 0 OR e.paused_until IS NOT NULL
        OR coalesce(e.last_success_at < clock_timestamp() - make_interval(secs => ${lastSuccessMs / 1_000}), true)
      ORDER BY e.id FOR NO KEY UPDATE OF e),
    stored AS (
      UPDATE deliveries d SET attempts = r.number,
        round = CASE WHEN ${wasChanged} THEN d.round ELSE r.round END,
        status = CASE WHEN ${wasChanged} THEN d.status ELSE r."deliveryStatus"::delivery_status END,
        next_attempt_at = CASE WHEN ${wasChanged} THEN d.next_attempt_at
          WHEN r."deliveryStatus" = 'pending' THEN clock_timestamp() + make_interval(secs => r."retryAfterMs" / 1000) END,
        finished_at = CASE WHEN ${wasChanged} THEN d.finished_at
          WHEN r."deliveryStatus" <> 'pending' THEN clock_timestamp() END
      FROM result r JOIN endpoints e ON e.id = r."endpointId" AND e.turn = r.turn
      WHERE (SELECT count(*) FROM changed) >= 0
        AND d.id = r."deliveryId" AND d.attempts = r.number - 1 AND d.status IN ('pending', 'skipped')
      RETURNING d.id),
    kept AS (
      INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, status, response_start, error_code)
      SELECT r."deliveryId", r.number, to_timestamp(r."startedAtMs" / 1000), r."durationMs", r.outcome, r.status,
             r."responseStart", r."errorCode"
      FROM result r JOIN stored s ON s.id = r."deliveryId"),
    known AS (
      UPDATE endpoints e SET
        consecutive_outages = h."consecutiveOutages",
        last_success_at = CASE WHEN h.succeeded THEN clock_timestamp() ELSE e.last_success_at END,
        failing_since = CASE WHEN NOT h.failing THEN NULL
          WHEN h.succeeded THEN clock_timestamp() ELSE coalesce(changed.failing_since, clock_timestamp()) END,
        last_failure_at = CASE WHEN h.failing THEN clock_timestamp() END,
        paused_until = clock_timestamp() + make_interval(secs => h."pauseMs" / 1000),
        enabled = e.enabled AND NOT (h.gone OR failing.over),
        disabled_reason = CASE WHEN NOT e.enabled THEN e.disabled_reason
          WHEN h.gone THEN 'gone' WHEN failing.over THEN 'failing' END,
        disabled_at = CASE WHEN NOT e.enabled THEN e.disabled_at
          WHEN h.gone OR failing.over THEN clock_timestamp() END
      FROM changed JOIN health h ON h."endpointId" = changed.id AND h.url = changed.url,
      LATERAL (SELECT NOT h.succeeded
          AND coalesce(changed.failing_since < clock_timestamp() - make_interval(days => ${failingDays}), false) AS over)
        AS failing
      WHERE e.id = changed.id)
    SELECT id FROM stored`;
}
