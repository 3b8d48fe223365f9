import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import type { ClaimedDelivery } from './delivery.ts';

const claimedRow = z.object({
  id: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  type: z.string(),
  businessId: integer,
  sequence: integer,
  body: z.string(),
  attempts: z.int(),
  round: z.int(),
}) satisfies z.ZodType<ClaimedDelivery>;

/** A delivery and the turn that claimed it. */
export interface Claim {
  readonly deliveryId: string;
  readonly turn: string;
}

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

/** Days with failures only after which an endpoint is disabled. */
const failingDays = 5;

export type ClaimStore = ReturnType<typeof createClaimStore>;

/** The worker's part of the deliveries in PostgreSQL. All times are the database's. */
export function createClaimStore(prisma: PrismaClient, database: Database) {
  return {
    /**
     * Claims deliveries that are due, the longest due first. A claim of another turn of the endpoint is void: turns
     * follow each other, so its process has ended or lost the turn.
     */
    claim: (endpointId: string, turn: string, limit: number): Promise<ClaimedDelivery[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          WITH claimed AS (
            UPDATE deliveries SET claimed_by = ${turn} WHERE id IN (
              SELECT id FROM deliveries
              WHERE endpoint_id = ${endpointId} AND status = 'pending' AND next_attempt_at <= clock_timestamp()
                AND claimed_by IS DISTINCT FROM ${turn}
              ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
            RETURNING id, endpoint_id, event_id, previous, attempts, round, next_attempt_at)
          SELECT c.id, c.endpoint_id AS "endpointId", c.event_id AS "eventId", m.type,
                 m.business_id AS "businessId", m.sequence, m.body, c.attempts, c.round
          FROM claimed c JOIN messages m ON m.event_id = c.event_id AND m.previous = c.previous
          ORDER BY c.next_attempt_at, m.sequence`;
        return readRows(claimedRow, statement);
      }),
    /** Stores attempts; one whose delivery was claimed by a later turn is dropped. Resolves to those that were stored. */
    record: (
      attempts: readonly AttemptRecord[],
      health: readonly HealthRecord[],
    ): Promise<ReadonlySet<string>> =>
      database.run(() =>
        prisma.$transaction(async (tx) => {
          await lockEndpoints(tx, health);
          const rows = await readRows(z.object({ id: z.string() }), storeAttempts(tx, attempts));
          await storeHealth(tx, health);
          return new Set(rows.map(({ id }) => id));
        }),
      ),
    /** Ends deliveries without an attempt. */
    finish: (ids: readonly string[], turn: string, status: 'skipped' | 'withdrawn'): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          UPDATE deliveries SET status = ${status}::delivery_status, next_attempt_at = NULL, claimed_by = NULL,
            finished_at = clock_timestamp()
          WHERE id = ANY(${[...ids]}) AND claimed_by = ${turn} AND status = 'pending'`,
      ),
    /** Skips what is pending for a disabled endpoint, one batch; resolves to how many. */
    skip: (endpointId: string, limit: number): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          UPDATE deliveries SET status = 'skipped', next_attempt_at = NULL, claimed_by = NULL,
            finished_at = clock_timestamp()
          WHERE id IN (
            SELECT id FROM deliveries WHERE endpoint_id = ${endpointId} AND status = 'pending'
            LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
      ),
    /** Those of these deliveries that their turns still hold, and whether their endpoint is enabled. */
    findHeld: (claims: readonly Claim[]): Promise<ReadonlyMap<string, boolean>> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT d.id, e.enabled FROM json_to_recordset(${JSON.stringify(claims)}::json) AS c ("deliveryId" text, turn text)
          JOIN deliveries d ON d.id = c."deliveryId" AND d.claimed_by = c.turn AND d.status = 'pending'
          JOIN endpoints e ON e.id = d.endpoint_id`;
        const rows = await readRows(z.object({ id: z.string(), enabled: z.boolean() }), statement);
        return new Map(rows.map(({ id, enabled }) => [id, enabled]));
      }),
    /** Milliseconds until an endpoint has something to do, 0 for now; undefined for nothing. */
    nextDueMs: (endpointId: string): Promise<number | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT greatest(0, extract(epoch FROM greatest(min(d.next_attempt_at), max(e.paused_until))
                 - clock_timestamp()) * 1000)::float8 AS ms
          FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
          WHERE d.endpoint_id = ${endpointId} AND d.status = 'pending'`;
        const [row] = await readRows(z.object({ ms: z.number().nullable() }), statement);
        return row?.ms ?? undefined;
      }),
    /** Milliseconds until the circuit breaker of an endpoint lets an attempt start; 0 or less for now. */
    pausedMs: (endpointId: string): Promise<number> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT (extract(epoch FROM paused_until - clock_timestamp()) * 1000)::float8 AS ms
          FROM endpoints WHERE id = ${endpointId}`;
        const [row] = await readRows(z.object({ ms: z.number().nullable() }), statement);
        return row?.ms ?? 0;
      }),
    /** Endpoints with deliveries that have been due for some seconds. */
    findForgotten: (seconds: number): Promise<string[]> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT e.id FROM endpoints e
          WHERE (e.paused_until IS NULL OR e.paused_until <= clock_timestamp()) AND EXISTS (
            SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending'
              AND d.next_attempt_at <= clock_timestamp() - make_interval(secs => ${seconds}))
          LIMIT 1000`;
        return (await readRows(z.object({ id: z.string() }), statement)).map(({ id }) => id);
      }),
  };
}

type Transaction = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

/** A deletion locks the endpoint before its deliveries: a transaction that locks both keeps this order, endpoints by id. */
function lockEndpoints(tx: Transaction, health: readonly HealthRecord[]) {
  const ids = health.map(({ endpointId }) => endpointId);
  return tx.$executeRaw`SELECT 1 FROM endpoints WHERE id = ANY(${ids}) ORDER BY id FOR NO KEY UPDATE`;
}

function storeAttempts(tx: Transaction, attempts: readonly AttemptRecord[]) {
  return tx.$queryRaw`
    WITH result AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(attempts)}::json) AS r (
        "deliveryId" text, turn text, number int, "startedAtMs" float8, "durationMs" float8, outcome text, status int,
        "responseStart" text, "errorCode" text, "deliveryStatus" text, round int, "retryAfterMs" float8)),
    stored AS (
      UPDATE deliveries d SET status = r."deliveryStatus"::delivery_status, attempts = r.number, round = r.round,
        claimed_by = NULL,
        next_attempt_at = CASE r."deliveryStatus" WHEN 'pending'
          THEN clock_timestamp() + make_interval(secs => r."retryAfterMs" / 1000) END,
        finished_at = CASE r."deliveryStatus" WHEN 'pending' THEN NULL ELSE clock_timestamp() END
      FROM result r WHERE d.id = r."deliveryId" AND d.claimed_by = r.turn AND d.status = 'pending'
      RETURNING d.id)
    INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, status, response_start, error_code)
    SELECT r."deliveryId", r.number, to_timestamp(r."startedAtMs" / 1000), r."durationMs", r.outcome, r.status,
           r."responseStart", r."errorCode"
    FROM result r JOIN stored s ON s.id = r."deliveryId"
    RETURNING delivery_id AS id`;
}

function storeHealth(tx: Transaction, health: readonly HealthRecord[]) {
  return tx.$executeRaw`
    UPDATE endpoints e SET
      consecutive_outages = h."consecutiveOutages",
      last_success_at = CASE WHEN h.succeeded THEN clock_timestamp() ELSE e.last_success_at END,
      failing_since = CASE WHEN NOT h.failing THEN NULL
        WHEN h.succeeded THEN clock_timestamp() ELSE coalesce(e.failing_since, clock_timestamp()) END,
      paused_until = clock_timestamp() + make_interval(secs => h."pauseMs" / 1000),
      enabled = e.enabled AND NOT (h.gone OR failing.over),
      disabled_reason = CASE WHEN NOT e.enabled THEN e.disabled_reason
        WHEN h.gone THEN 'gone' WHEN failing.over THEN 'failing' END,
      disabled_at = CASE WHEN NOT e.enabled THEN e.disabled_at
        WHEN h.gone OR failing.over THEN clock_timestamp() END
    FROM json_to_recordset(${JSON.stringify(health)}::json) AS h (
      "endpointId" text, succeeded boolean, failing boolean, "consecutiveOutages" int, "pauseMs" float8, gone boolean),
    LATERAL (SELECT NOT h.succeeded
        AND coalesce(e2.failing_since < clock_timestamp() - make_interval(days => ${failingDays}), false) AS over
      FROM endpoints e2 WHERE e2.id = h."endpointId") AS failing
    WHERE e.id = h."endpointId"`;
}
