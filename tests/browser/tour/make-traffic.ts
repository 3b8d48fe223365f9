import type { TestKey } from '../../harness/api-keys.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import type { Platform } from '../../harness/platform.ts';

/** Keys of a busy business, and their refusals. */
export interface Traffic {
  readonly shop: TestKey;
  /** Close to its limit. */
  readonly scanner: TestKey;
  /** X-Request-Id of a request without the scope that it needs. */
  readonly refusedId: string;
}

const dayMs = 86_400_000;

/** Requests that succeed, and some for each reason that requests are refused for; a month of them. */
export async function makeTraffic(platform: Platform, businessId: number): Promise<Traffic> {
  const scopes = ['business:read', 'orders:read'];
  const shop = await platform.createKey({ type: 'restricted', scopes, name: 'Web shop', businessId });
  const scanner = await platform.createKey({ name: 'Warehouse scanner', businessId });
  await platform.setKeyLimit(scanner, 12);
  const trial = await platform.createKey({
    name: 'Partner trial',
    businessId,
    expiresAt: new Date(Date.now() + 5 * dayMs),
  });
  const old = await platform.createKey({ name: 'Christmas campaign', businessId });
  await platform.sql(
    "UPDATE api_keys SET created_at = now() - interval '40 days', expires_at = now() - interval '3 days' WHERE id = $1",
    [old.id],
  );
  const get = (key: TestKey, path = '/v2/order') => platform.request(0, 'GET', path, { key: key.keyString });
  for (let i = 0; i < 14; i++) await get(shop);
  for (let i = 0; i < 11; i++) await get(scanner);
  await get(trial, '/v2/orders');
  await get(old);
  await get(shop, '/v2/order/ord_that_is_not_there');
  await platform.request(0, 'DELETE', '/v2/order', { key: shop.keyString });
  const body = { currency: 'EUR', line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }] };
  const refused = await platform.request(0, 'POST', '/v2/order', { key: shop.keyString, body });
  const refusedId = String(refused.headers['x-request-id']);
  await addPast(platform, businessId, [shop.id, scanner.id]);
  await untilReported(platform, scanner, refusedId);
  return { shop, scanner, refusedId };
}

/** A month of hours before this one; the last of them may have begun with the requests. */
async function addPast(platform: Platform, businessId: number, keyIds: readonly string[]): Promise<void> {
  await platform.sql(
    `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
     SELECT $1, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', id,
            ((400 + 300 * sin(n * 0.26)) / position)::int, (n * 37) % 40,
            CASE WHEN n % 29 < 3 THEN 60 ELSE 0 END, (n * 13) % 7
     FROM generate_series(1, 720) AS n, unnest($2::text[]) WITH ORDINALITY AS keys (id, position)
     ON CONFLICT DO NOTHING`,
    [businessId, keyIds],
  );
  await platform.sql(
    `INSERT INTO revocation_days (business_id, day, revocations, pending, slowest_ms)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 3, 12, 1, 31) ON CONFLICT DO NOTHING`,
    [businessId],
  );
}

async function untilReported(platform: Platform, { id }: TestKey, requestId: string): Promise<void> {
  await expectEventually(
    async () => {
      const rows = await platform.sql(
        `SELECT 1 FROM request_log WHERE id = $2
         AND EXISTS (SELECT 1 FROM limit_observations WHERE limit_id = $1 AND used >= 11)`,
        [id, requestId],
      );
      if (rows.length === 0) throw new Error('The gateway has not reported yet.');
    },
    { withinMs: 15_000 },
  );
}
