// Bytes of a row of each large table, with its indexes, and of the keys that real requests leave in Redis, with the time
// of a call of the script that admits them: `npm run bench -- sizes`. The figures of deploy/capacity/figures.ts.
import { loadFor } from '../harness/load.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';

const rows = 100_000;
const hex = 'md5(n::text)';

/** Columns and values of row `n`, as the services write them; a business has 20 rows that follow each other. */
const tables: readonly (readonly ['identity' | 'business' | 'webhook', string, string])[] = [
  [
    'identity',
    'api_keys',
    `SELECT 'key_' || left(${hex}, 24), n / 20, 'Key', '', 'secret', ARRAY['orders:read'], decode(${hex} || ${hex}, 'hex'), 'abcd', 3600`,
  ],
  [
    'identity',
    'usage_counts',
    `SELECT 'key_' || left(md5((n / 100)::text), 24), now() - n * interval '1 minute', 'secret_key', n / 2000, 60, 0, 0, 0, 'key_' || left(md5((n / 100)::text), 24)`,
  ],
  [
    'identity',
    'usage_hours',
    `SELECT n / 20, now() - n * interval '1 hour', 'key_' || left(${hex}, 24), 60, 0, 0, 0`,
  ],
  [
    'identity',
    'usage_addresses',
    `SELECT 'key_' || left(${hex}, 24), now(), '192.0.2.1', n / 20, 60, 60, now()`,
  ],
  [
    'identity',
    'usage_endpoints',
    `SELECT 'key_' || left(${hex}, 24), now(), 'GET', '/v2/order/:id', n / 20, 60`,
  ],
  [
    'identity',
    'request_log',
    `SELECT gen_random_uuid(), now(), n / 20, 'GET', '/v2/order/ord_' || left(${hex}, 20), '/v2/order/{id}', 200, n % 997 / 8.0, n % 991 / 8.0, 400 + n % 300, 'python-requests/2.32.3', 'secret_key', 'key_' || left(${hex}, 24), 'key_' || left(${hex}, 24), '192.0.2.1', 'orders:read'`,
  ],
  [
    'identity',
    'audit_events',
    `SELECT n / 20, 'person', 'per_' || left(${hex}, 24), '192.0.2.1', gen_random_uuid()::text, 'api_key.created', 'key_' || left(${hex}, 24), '{"name": "Key", "scopes": ["orders:read"], "limit": 3600}'::jsonb`,
  ],
  [
    'business',
    'orders',
    `SELECT 'ord_' || left(${hex}, 20), 1, n + 10000, 'pending', 'EUR', '[{"name": "Tea", "sku": "T-1", "quantity": 2, "unit_amount": 450}]'::jsonb, 900, '{"name": "Ada Lovelace", "email": "ada@example.com"}'::jsonb, '{}'::jsonb, now(), now()`,
  ],
  [
    'business',
    'events',
    `SELECT 1, n + 10000, 'evt_' || left(${hex}, 24), 'order.created', '{"id": "ord_0123456789abcdef0123", "number": 1001, "status": "pending", "currency": "EUR", "total": 900, "line_items": [{"name": "Tea", "sku": "T-1", "quantity": 2, "unit_amount": 450}], "customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}', now()`,
  ],
  [
    'webhook',
    'messages',
    `SELECT 'evt_' || left(${hex}, 24), n, 1, 'order.created', n + 1, '{"id": "evt_0123456789abcdef01234567", "type": "order.created", "timestamp": "2026-11-22T12:00:00.000Z", "data": {"id": "ord_0123456789abcdef0123", "number": 1001, "status": "pending", "currency": "EUR", "total": 900}}'`,
  ],
  [
    'webhook',
    'deliveries',
    `SELECT 'dlv_' || left(${hex}, 24), 'end_bench', 'evt_' || left(${hex}, 24), n, 'delivered', 1, 0, NULL::timestamptz, now(), now()`,
  ],
  ['webhook', 'attempts', `SELECT 'dlv_' || left(${hex}, 24), 1, now(), 80, 'delivered', 200, 'ok', NULL`],
];

const columns: Readonly<Record<string, string>> = {
  api_keys: 'id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit',
  usage_counts:
    'credential_id, minute, credential_type, business_id, count_2xx, count_4xx, count_429, count_5xx, limit_id',
  usage_hours: 'business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx',
  usage_addresses: 'limit_id, hour, address, business_id, requests, successes, last_success_at',
  usage_endpoints: 'limit_id, hour, method, route, business_id, requests',
  request_log:
    'id, at, business_id, method, path, route, status, duration_ms, upstream_ms, response_bytes, user_agent, credential_type, credential_id, limit_id, client_ip, required_scope',
  audit_events: 'business_id, actor_kind, actor_id, client_ip, request_id, action, subject_id, details',
  orders:
    'id, business_id, number, status, currency, line_items, total, customer, metadata, created_at, updated_at',
  events: 'business_id, sequence, id, type, payload, created_at',
  messages: 'event_id, previous, business_id, type, sequence, body',
  deliveries:
    'id, endpoint_id, event_id, previous, status, attempts, round, next_attempt_at, created_at, finished_at',
  attempts: 'delivery_id, number, started_at, duration_ms, outcome, status, response_start, error_code',
};

const run = await beginRun();
const platform = await startPlatform({ webhooks: 1 });
try {
  const urls = { webhook: '', ...platform.databases };
  await query(
    urls.webhook,
    `INSERT INTO endpoints (id, business_id, application_id, url, description, events, sealed_secrets)
     VALUES ('end_bench', 1, 'app', 'https://receiver.example/hook', '', '{}', '')`,
  );
  const size = async (url: string, table: string) =>
    Number(
      (
        await query<{ size: string }>(
          url,
          `SELECT sum(pg_total_relation_size(relid)) AS size
           FROM (SELECT $1::regclass AS relid UNION SELECT relid FROM pg_partition_tree($1)) AS parts`,
          [table],
        )
      )[0]?.size,
    );
  for (const [service, table, select] of tables) {
    const before = await size(urls[service], table);
    await query(
      urls[service],
      `INSERT INTO ${table} (${columns[table]}) ${select} FROM generate_series(1, ${rows}) AS n`,
    );
    const bytes = ((await size(urls[service], table)) - before) / rows;
    process.stdout.write(`${table.padEnd(18)} ${Math.round(bytes)} bytes per row\n`);
  }
  const { keyString: key } = await platform.createKey();
  await loadFor(10_000, { ports: platform.gatewayPorts, rate: 100, path: '/v2/businesses/me', key });
  const redis = platform.redis;
  const keys = await redis?.command('KEYS', '*');
  for (const name of Array.isArray(keys) ? keys.map(String).sort() : []) {
    const bytes = await redis?.command('MEMORY', 'USAGE', name, 'SAMPLES', '0');
    process.stdout.write(`${name}: ${bytes} bytes\n`);
  }
  process.stdout.write(`${await redis?.command('INFO', 'commandstats')}\n`);
} finally {
  await platform.close();
  await run.end();
}
