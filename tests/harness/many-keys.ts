import type { Platform } from './platform.ts';

/**
 * Adds the secret keys "key 1" to "key <count>" to a business, each a second newer than the previous one. Their key strings are
 * unknown.
 * @returns identifier of the n-th
 */
export async function addManyKeys(
  platform: Platform,
  businessId: number,
  count: number,
): Promise<(n: number) => string> {
  await platform.sql(
    `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, created_at)
     SELECT 'key_' || $1 || '_' || n, $1::bigint, 'key ' || n, '', 'secret', '{}', sha256(($1 || '-' || n)::bytea), 'abcd', 10000,
            now() - interval '1 day' + n * interval '1 second'
     FROM generate_series(1, $2::int) AS n`,
    [String(businessId), count],
  );
  return (n) => `key_${businessId}_${n}`;
}
