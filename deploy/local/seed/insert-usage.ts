import type pg from 'pg';

/**
 * Writes two weeks of traffic of the demo keys, unless the business has had any, so that the dashboard has something to
 * show. In the form in which identity-service writes what gateways report: no call dates requests into the past.
 */
export async function insertUsage(database: pg.Client, businessId: number): Promise<void> {
  await database.query(
    `WITH traffic AS (
       SELECT k.id AS limit_id, k.key_type::text || '_key' AS type, h AS hour, round(
         (CASE k.key_type WHEN 'secret' THEN 60 ELSE 25 END)
         * (1.2 + sin((extract(hour FROM h) - 8) / 24 * 2 * pi())) * (0.6 + extract(isodow FROM h) % 5 / 8))::int AS n
       FROM api_keys k
       CROSS JOIN generate_series(date_trunc('hour', now()) - interval '14 days',
                                  date_trunc('hour', now()) - interval '1 hour', interval '1 hour') h
       WHERE k.business_id = $1 AND k.expires_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM usage_hours WHERE business_id = $1)
     ), answered AS (
       SELECT *, (n / 23)::int AS refused, (CASE WHEN extract(hour FROM hour) = 11 THEN 2 ELSE 0 END) AS failed
       FROM traffic
     ), hours AS (
       INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       SELECT $1, hour, limit_id, n, refused, 0, failed FROM answered
     ), minutes AS (
       INSERT INTO usage_counts
         (business_id, credential_id, minute, credential_type, limit_id, count_2xx, count_4xx, count_429, count_5xx)
       SELECT $1, limit_id, hour + interval '20 minutes', type, limit_id, n, refused, 0, failed FROM answered
     ), places AS (
       INSERT INTO usage_endpoints (business_id, limit_id, hour, method, route, requests)
       SELECT $1, limit_id, hour, 'GET', '/v2/order', n + refused + failed FROM answered
     )
     INSERT INTO usage_addresses (business_id, limit_id, hour, address, requests, successes, last_success_at)
     SELECT $1, limit_id, hour, '203.0.113.24', n + refused + failed, n, hour + interval '20 minutes' FROM answered`,
    [businessId],
  );
}
