import type { Client } from '@platform/service-kit/database/connection.ts';

/** Days since the demo business signed up: before its first order. */
export const businessDays = 31;

/** Runs statements in one transaction. */
export async function inTransaction(database: Client, run: () => Promise<unknown>): Promise<void> {
  await database.query('BEGIN');
  try {
    await run();
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK');
    throw error;
  }
}

/**
 * Runs statements of a transaction that move things into the past, which no call can do. Disables triggers, because events and
 * the audit log refuse every change.
 */
export async function passTriggers(database: Client, run: () => Promise<unknown>): Promise<void> {
  await database.query('SET LOCAL session_replication_role = replica');
  await run();
  await database.query('SET LOCAL session_replication_role = origin');
}

const rewrite = (database: Client, run: () => Promise<unknown>) =>
  inTransaction(database, () => passTriggers(database, run));

/** Moves a person who has just signed up to the beginning of the demo business, with the traces in the audit log. */
export function backdateSignUp(database: Client, email: string): Promise<void> {
  const before = `interval '${businessDays} days'`;
  return rewrite(database, async () => {
    const found = await database.query<{ id: string }>(
      `UPDATE people SET created_at = created_at - ${before}, password_set_at = password_set_at - ${before}
       WHERE email = $1 RETURNING id`,
      [email],
    );
    const ids = found.rows.map(({ id }) => id);
    await database.query(
      `UPDATE memberships SET created_at = created_at - ${before} WHERE person_id = ANY($1)`,
      [ids],
    );
    await database.query(`UPDATE audit_events SET at = at - ${before} WHERE actor_id = ANY($1)`, [ids]);
  });
}

/** Moves an API key that was just created into the past, with its creation in the audit log. */
export function backdateKey(database: Client, id: string, days: number): Promise<void> {
  const before = `interval '${days} days'`;
  return rewrite(database, async () => {
    await database.query(
      `UPDATE api_keys SET created_at = created_at - ${before}, expires_at = expires_at - ${before} WHERE id = $1`,
      [id],
    );
    await database.query(
      `UPDATE audit_events e SET at = e.at - ${before}, details = CASE WHEN k.expires_at IS NULL THEN e.details ELSE
         e.details || jsonb_build_object('expiresAt', (extract(epoch FROM k.expires_at) * 1000)::bigint) END
       FROM api_keys k WHERE e.subject_id = $1 AND k.id = $1`,
      [id],
    );
  });
}

/** Adds the notices that owners would have got before a key expired, like identity-service, but read and without emails. */
export async function insertExpiryNotices(database: Client, keyId: string): Promise<void> {
  await database.query(
    `INSERT INTO notices (id, person_id, key, topic, action, business_id, subject_id, actor_kind, actor_id, details,
       created_at, read_at, mail_due_at)
     SELECT 'ntc_' || replace(gen_random_uuid()::text, '-', ''), m.person_id,
       concat_ws(':', 'api_key.expiring', k.id, extract(epoch FROM k.expires_at), days), 'keys', 'api_key.expiring',
       k.business_id, k.id, 'system', 'identity-service',
       jsonb_build_object('name', k.name, 'lastFour', k.last_four, 'days', days), at, at, NULL
     FROM api_keys k JOIN memberships m ON m.business_id = k.business_id AND m.role = 'owner',
       unnest(ARRAY[14, 7, 1]) AS days, LATERAL (SELECT k.expires_at - make_interval(hours => 24 * days) AS at) AS step
     WHERE k.id = $1 ON CONFLICT (person_id, key) DO NOTHING`,
    [keyId],
  );
}
