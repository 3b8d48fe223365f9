import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { PrismaClient } from '../generated/client.ts';
import type { Instant } from '../values.ts';
import type { ClaimedDelivery } from './delivery.ts';

/** A delivery and the turn that attempts it. */
export interface Claim {
  readonly deliveryId: string;
  readonly turn: string;
}

/** The same, with the body that is to be sent: that of before or after an erasure. */
export interface BodyClaim extends Claim {
  readonly erasedAt: Instant | null;
}

/** A turn that asks for deliveries. */
export interface ClaimRequest {
  readonly endpointId: string;
  readonly turn: string;
  /** Whether the turn begins. It then ends the previous turn, even if the process of that turn has not noticed. */
  readonly begins: boolean;
  /** Deliveries that the turn attempts already. */
  readonly inFlight: readonly string[];
  readonly limit: number;
}

/** An endpoint as a turn needs it. */
export type TurnEndpoint = Pick<
  Endpoint,
  'id' | 'owner' | 'madeBy' | 'url' | 'sealedSecrets' | 'enabled' | 'consecutiveOutages' | 'lastSuccessAt'
>;

/** An endpoint and what is due to it. */
export interface Claimed {
  readonly endpoint: TurnEndpoint;
  /** The longest due first; none while the endpoint is disabled or the circuit breaker pauses it. */
  readonly deliveries: readonly ClaimedDelivery[];
}

const endpointRow = z.object({
  turn: z.string(),
  endpointId: z.string(),
  ownerBusinessId: integer,
  applicationId: z.string(),
  madeBy: z.string().nullable(),
  url: z.string(),
  sealedSecrets: bytes,
  enabled: z.boolean(),
  consecutiveOutages: z.int(),
  lastSuccessAt: z.date().nullable(),
});

const deliveryRow = z.object({
  id: z.string(),
  endpointId: z.string(),
  eventId: z.string(),
  type: z.string(),
  businessId: integer,
  sequence: integer,
  body: z.string(),
  attempts: z.int(),
  round: z.int(),
  traceparent: z.string().nullable(),
  erasedAt: z.date().nullable(),
}) satisfies z.ZodType<ClaimedDelivery>;

/** A row per due delivery, or one row without a delivery for an endpoint with nothing due. */
const claimRow = z.union([endpointRow.extend(deliveryRow.shape), endpointRow.extend({ id: z.null() })]);

export type ClaimStore = ReturnType<typeof createClaimStore>;

/** The worker's part of the deliveries in PostgreSQL. All times are the database's. */
export function createClaimStore(prisma: PrismaClient, database: Database) {
  return {
    /**
     * Finds due deliveries of endpoints, by turn. Omits turns whose endpoint was deleted or is held by a later turn.
     */
    claim: (requests: readonly ClaimRequest[]): Promise<ReadonlyMap<string, Claimed>> =>
      database.run(async () => claimedOf(await readRows(claimRow, claimDue(prisma, requests)))),
    /** Ends deliveries whose owner may no longer receive them, without an attempt. */
    withdraw: (claims: readonly Claim[]): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          UPDATE deliveries d SET status = 'withdrawn', next_attempt_at = NULL, finished_at = clock_timestamp()
          FROM json_to_recordset(${JSON.stringify(claims)}::json) AS c ("deliveryId" text, turn text),
          endpoints e
          WHERE d.id = c."deliveryId" AND d.status = 'pending' AND e.id = d.endpoint_id AND e.turn = c.turn`,
      ),
    /**
     * Skips one batch of an endpoint's pending deliveries; resolves to their number.
     * @param until latest creation time to skip; null for all deliveries, if the endpoint is disabled
     */
    skip: (endpointId: string, limit: number, until: Instant | null = null): Promise<number> =>
      database.run(
        () => prisma.$executeRaw`
          UPDATE deliveries SET status = 'skipped', next_attempt_at = NULL, finished_at = clock_timestamp()
          WHERE id IN (
            SELECT id FROM deliveries WHERE endpoint_id = ${endpointId} AND status = 'pending'
              AND (created_at <= ${until} OR ${until}::timestamptz IS NULL
                AND EXISTS (SELECT 1 FROM endpoints WHERE id = ${endpointId} AND NOT enabled))
            LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
      ),
    /** The database's clock, in whole milliseconds like the columns, so that it is not before earlier writes. */
    clock: (): Promise<Instant> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`SELECT clock_timestamp()::timestamptz(3) AS now`;
        const [row] = await readRows(z.object({ now: z.date() }), statement);
        if (row === undefined) throw new Error('SELECT clock_timestamp() returned no row');
        return row.now;
      }),
    /** Those of these deliveries that their turns may still attempt, with the same body. */
    findHeld: (claims: readonly BodyClaim[]): Promise<ReadonlySet<string>> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT d.id FROM json_to_recordset(${JSON.stringify(claims)}::json) AS c (
            "deliveryId" text, turn text, "erasedAt" timestamptz)
          JOIN deliveries d ON d.id = c."deliveryId" AND d.status = 'pending'
          JOIN messages m ON m.event_id = d.event_id AND m.previous = d.previous
            AND m.erased_at IS NOT DISTINCT FROM c."erasedAt"
          JOIN endpoints e ON e.id = d.endpoint_id AND e.turn = c.turn AND e.enabled`;
        return new Set((await readRows(z.object({ id: z.string() }), statement)).map(({ id }) => id));
      }),
    /** Milliseconds until the next due delivery of endpoints, 0 if one is due. Endpoints without any are omitted. */
    nextDueMs: (endpointIds: readonly string[]): Promise<ReadonlyMap<string, number>> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT e.id, greatest(0, extract(epoch FROM greatest(next.at, e.paused_until) - clock_timestamp()) * 1000)::float8
                 AS ms
          FROM unnest(${[...endpointIds]}::text[]) AS asked (id) JOIN endpoints e ON e.id = asked.id
          CROSS JOIN LATERAL (
            SELECT min(next_attempt_at) AS at FROM deliveries WHERE endpoint_id = asked.id AND status = 'pending') AS next
          WHERE next.at IS NOT NULL`;
        const rows = await readRows(z.object({ id: z.string(), ms: z.number() }), statement);
        return new Map(rows.map(({ id, ms }) => [id, ms]));
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

/**
 * Written so that each subquery is an index search even with outdated statistics. Uses now(), because clock_timestamp() is
 * VOLATILE and cannot bound an index search.
 */
function claimDue(prisma: PrismaClient, requests: readonly ClaimRequest[]) {
  return prisma.$queryRaw`
    WITH asked AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(requests)}::json) AS a (
        "endpointId" text, turn text, begins boolean, "inFlight" text[], "limit" int)),
    begun AS (
      UPDATE endpoints e SET turn = a.turn FROM asked a WHERE e.id = a."endpointId" AND a.begins RETURNING e.*),
    held AS (
      SELECT * FROM begun
      UNION ALL
      SELECT e.* FROM endpoints e JOIN asked a ON e.id = a."endpointId" AND e.turn = a.turn AND NOT a.begins)
    SELECT a.turn, e.id AS "endpointId", e.business_id AS "ownerBusinessId", e.application_id AS "applicationId",
           e.made_by AS "madeBy", e.url, e.sealed_secrets AS "sealedSecrets", e.enabled, e.consecutive_outages AS "consecutiveOutages",
           e.last_success_at AS "lastSuccessAt", d.id, d.event_id AS "eventId", d.attempts, d.round, m.type,
           m.business_id AS "businessId", m.sequence, m.body, m.traceparent, m.erased_at AS "erasedAt"
    FROM asked a JOIN held e ON e.id = a."endpointId" AND e.turn = a.turn
    LEFT JOIN LATERAL (
      SELECT id, event_id, previous, attempts, round, next_attempt_at FROM deliveries
      WHERE endpoint_id = a."endpointId" AND status = 'pending' AND next_attempt_at <= now()
        AND id <> ALL(a."inFlight") AND e.enabled AND (e.paused_until IS NULL OR e.paused_until <= now())
      ORDER BY next_attempt_at LIMIT a."limit") AS d ON true
    LEFT JOIN LATERAL (
      SELECT type, business_id, sequence, body, traceparent, erased_at FROM messages
      WHERE event_id = d.event_id AND previous = d.previous LIMIT 1) AS m ON true
    ORDER BY d.next_attempt_at, m.sequence`;
}

function claimedOf(rows: readonly z.output<typeof claimRow>[]): ReadonlyMap<string, Claimed> {
  const claimed = new Map<string, { endpoint: TurnEndpoint; deliveries: ClaimedDelivery[] }>();
  for (const row of rows) {
    const { endpointId: id, ownerBusinessId: businessId, applicationId, url, sealedSecrets, enabled } = row;
    const { madeBy, consecutiveOutages, lastSuccessAt } = row;
    const owner = { businessId, applicationId };
    const endpoint = { id, owner, madeBy, url, sealedSecrets, enabled, consecutiveOutages, lastSuccessAt };
    const entry = claimed.get(row.turn) ?? { endpoint, deliveries: [] as ClaimedDelivery[] };
    if (row.id !== null) entry.deliveries.push(row);
    claimed.set(row.turn, entry);
  }
  return claimed;
}
