import { Prisma } from '../../generated/client.ts';
import type { PrismaClient } from '../../platform/storage.ts';

/** Id of a new notice. */
export const newId = Prisma.sql`'ntc_' || replace(gen_random_uuid()::text, '-', '')`;

/** People who get notices of a key `k`, as members `m`: the owners, and its creator unless that person is now a viewer. */
export const audience = Prisma.sql`
  JOIN memberships m ON m.business_id = k.business_id AND (m.role = 'owner' OR (m.person_id = k.created_by AND m.role <> 'viewer'))`;

/** Days before the expiration of an API key, with the days at which the next step takes over. */
const expirySteps = [
  { days: 14, until: 7 },
  { days: 7, until: 1 },
  { days: 1, until: 0 },
];

/** Records notices of keys that have reached a step, once per step and expiration, for the people of `audience`. */
export async function insertExpiryNotices(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    WITH step AS (
      SELECT days, make_interval(hours => 24 * days) AS before, make_interval(hours => 24 * until) AS until
      FROM unnest(${expirySteps.map(({ days }) => days)}::int[], ${expirySteps.map(({ until }) => until)}::int[])
        AS s (days, until)
    )
    INSERT INTO notices (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, details)
    SELECT ${newId}, m.person_id, concat_ws(':', 'api_key.expiring', k.id, extract(epoch FROM k.expires_at), step.days),
           'keys', 'api_key.expiring', k.business_id, k.id, 'system', 'identity-service',
           jsonb_build_object('name', k.name, 'lastFour', k.last_four, 'days', step.days)
    FROM step JOIN api_keys k
      ON k.expires_at <= now() + step.before AND k.expires_at > now() + step.until
      AND k.created_at < k.expires_at - step.before
    ${audience}
    WHERE NOT EXISTS (
      SELECT 1 FROM notices n WHERE n.person_id = m.person_id
        AND n.key = concat_ws(':', 'api_key.expiring', k.id, extract(epoch FROM k.expires_at), step.days))
    ORDER BY m.person_id, k.id
    ON CONFLICT (person_id, key) DO NOTHING`;
}

/** Minutes from the end of a string in which programs get the new one: calls in them cause no notice. */
const changeMinutes = 10;

/**
 * Records notices of calls with retired strings of keys, for each key at most once a day (UTC). Those of a deleted key are for the
 * owners alone.
 */
export async function insertRetiredNotices(
  client: Prisma.TransactionClient,
  retiredIds: readonly string[],
): Promise<void> {
  await client.$executeRaw`
    WITH called AS (
      SELECT DISTINCT ON (r.limit_id) r.limit_id AS id, r.business_id, k.created_by, r.addresses[1] AS client_ip,
             jsonb_build_object('name', r.name, 'lastFour', r.last_four, 'reason', r.reason, 'calls', r.calls,
                                'addresses', r.addresses, 'retiredAt', extract(epoch FROM r.retired_at) * 1000) AS details
      FROM retired_strings r LEFT JOIN api_keys k ON k.id = r.limit_id
      WHERE r.id = ANY(${[...retiredIds]}::uuid[]) AND r.credential_type <> 'access_token'
        AND r.last_call_at > r.retired_at + make_interval(mins => ${changeMinutes})
      ORDER BY r.limit_id, r.last_call_at DESC
    )
    INSERT INTO notices
      (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, client_ip, details)
    SELECT ${newId}, m.person_id, concat_ws(':', 'api_key.old_string_used', k.id, (now() AT TIME ZONE 'UTC')::date),
           'keys', 'api_key.old_string_used', k.business_id, k.id, 'system', 'identity-service', k.client_ip, k.details
    FROM called k ${audience}
    ORDER BY m.person_id, k.id
    ON CONFLICT (person_id, key) DO NOTHING`;
}

/** Used share of the limit that causes a notice. */
const nearLimit = 0.8;

/**
 * Records notices of keys that have used most of their rolling hour or got a 429, each at most once a day (UTC). Reads the
 * figures of the last minutes only: with longer pauses between calls, a short time at the limit is missed.
 */
export async function insertLimitNotices(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    WITH reached AS (
      SELECT o.limit_id AS id, 'api_key.limit_near' AS action FROM limit_observations o JOIN api_keys k ON k.id = o.limit_id
      WHERE o.observed_at > now() - interval '1 minute' AND o.used >= ${nearLimit}::float8 * k.request_limit
      UNION
      SELECT limit_id, 'api_key.limit_reached' FROM usage_counts
      WHERE minute > now() - interval '3 minutes' AND count_429 > 0
    )
    INSERT INTO notices (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, details)
    SELECT ${newId}, m.person_id, concat_ws(':', reached.action, k.id, (now() AT TIME ZONE 'UTC')::date),
           'limits', reached.action, k.business_id, k.id, 'system', 'identity-service',
           jsonb_build_object('name', k.name, 'lastFour', k.last_four, 'limit', k.request_limit)
    FROM reached JOIN api_keys k ON k.id = reached.id ${audience}
    ORDER BY m.person_id, k.id
    ON CONFLICT (person_id, key) DO NOTHING`;
}
