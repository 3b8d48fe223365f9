// A million requests of one business in 29 days, and as many rows of each table of usage, for `npm run bench -- pages`.
import { importIdentityProgram } from '../harness/import-once.ts';

/** Rows of each table. */
export const rows = Number(process.env.BENCH_ROWS || 1_000_000);

/** API keys, which have sent as much each. */
const keys = 500;

/** Id of the first of them. */
export const firstKey = `key_${'0'.repeat(24)}`;

const key = `'key_' || lpad((n % ${keys})::text, 24, '0')`;

/** Milliseconds from one request to the next. */
const stepMs = Math.floor((29 * 86_400_000) / rows);

/** Statements about business $1, in their order; each row is of a key, and the keys take turns. */
const usage: readonly string[] = [
  `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, last_used_at)
   SELECT ${key}, $1, 'Key ' || n, 'Of a program', 'restricted', ARRAY['orders:read'], decode(md5(n::text) || md5(n::text), 'hex'),
          'abcd', 3600, now() - n * interval '1 minute'
   FROM generate_series(0, ${keys - 1}) AS n`,
  `INSERT INTO limit_observations (limit_id, business_id, used, observed_at)
   SELECT ${key}, $1, 7 * n, now() FROM generate_series(0, ${keys - 1}) AS n`,
  `INSERT INTO usage_counts (credential_id, minute, credential_type, business_id, count_2xx, count_4xx, count_429, count_5xx, limit_id)
   SELECT ${key}, date_trunc('minute', now()) - n / ${keys} * interval '1 minute', 'restricted_key', $1, 60, n % 3, 0, 0, ${key}
   FROM generate_series(0, ${rows - 1}) AS n`,
  `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
   SELECT $1, date_trunc('hour', now(), 'UTC') - n / ${keys} * interval '1 hour', ${key}, 3600 + n % 500, n % 90, 0, n % 7
   FROM generate_series(0, ${rows - 1}) AS n`,
  `INSERT INTO usage_addresses (limit_id, hour, address, business_id, requests, successes, last_success_at)
   SELECT ${key}, date_trunc('hour', now(), 'UTC') - n / ${keys} % 300 * interval '1 hour', '192.0.2.' || n / ${keys} / 300, $1, 60, 58, now()
   FROM generate_series(0, ${rows - 1}) AS n`,
  `INSERT INTO usage_endpoints (limit_id, hour, method, route, business_id, requests)
   SELECT ${key}, date_trunc('hour', now(), 'UTC') - n / ${keys} % 300 * interval '1 hour', 'GET', '/v2/order/' || n / ${keys} / 300, $1, 60
   FROM generate_series(0, ${rows - 1}) AS n`,
  'VACUUM ANALYZE usage_counts, usage_hours, usage_addresses, usage_endpoints, api_keys, limit_observations',
];

const log: readonly string[] = [
  `INSERT INTO request_log
     (id, at, business_id, method, path, route, status, duration_ms, upstream_ms, response_bytes, user_agent, refusal,
      credential_type, credential_id, limit_id, client_ip, required_scope)
   SELECT gen_random_uuid(), now() - interval '1 second' - n * interval '${stepMs} milliseconds', $1,
          CASE WHEN n % 4 = 0 THEN 'POST' ELSE 'GET' END, '/v2/order/ord_' || left(md5(n::text), 20), '/v2/order/{id}' || n % 3,
          CASE WHEN n % 100 = 0 THEN 403 WHEN n % 100 = 1 THEN 404 ELSE 200 END, n % 997 / 8.0, n % 991 / 8.0, 400 + n % 300,
          'python-requests/2.32.3', CASE WHEN n % 100 = 0 THEN 'insufficient_scope' END, 'restricted_key', ${key}, ${key},
          '192.0.2.' || n % 250, 'orders:read'
   FROM generate_series(0, ${rows - 1}) AS n`,
  `INSERT INTO request_log_minutes (business_id, minute, listed, unlisted)
   SELECT business_id, date_trunc('minute', at), count(*), 0 FROM request_log WHERE business_id = $1 GROUP BY 1, 2`,
  'VACUUM ANALYZE request_log, request_log_minutes',
];

type Run = (text: string, values?: unknown[]) => Promise<unknown>;

/** Adds usage and, unless it is in ClickHouse, the log. @param run runs a statement in the database of identity-service */
export async function addRows(run: Run, businessId: number, { withLog }: { readonly withLog: boolean }) {
  for (const text of withLog ? [...usage, ...log] : usage) {
    await run(text, text.includes('$1') ? [businessId] : []);
  }
}

/** Adds the log to ClickHouse. @param url REQUEST_LOG_URL of an identity-service that has made the tables */
export async function addClickHouseLog(url: string, businessId: number): Promise<void> {
  const { clickHouseAddress, createClickHouse, sql } = await importIdentityProgram();
  const keyOfRow = sql`concat('key_000000000000000000000', substring(toString(1000 + number % ${keys}), 2))`;
  await createClickHouse(clickHouseAddress.parse(url)).run(
    sql`
      INSERT INTO request_log
      SELECT generateUUIDv4(), toUInt64(${Date.now() - 1_000} - number * ${stepMs}), ${businessId},
             if(number % 4 = 0, 'POST', 'GET'), concat('/v2/order/ord_', substring(lower(hex(MD5(toString(number)))), 1, 20)),
             concat('/v2/order/{id}', toString(number % 3)), if(number % 100 = 0, 403, if(number % 100 = 1, 404, 200)),
             number % 997 / 8, number % 991 / 8, 400 + number % 300, 'python-requests/2.32.3',
             if(number % 100 = 0, 'insufficient_scope', ''), '', 'restricted_key', ${keyOfRow}, ${keyOfRow},
             concat('192.0.2.', toString(number % 250)), 'orders:read', '', ''
      FROM system.numbers LIMIT ${rows}`,
    AbortSignal.timeout(120_000),
  );
}
