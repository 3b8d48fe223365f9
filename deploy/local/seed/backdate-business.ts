import type pg from 'pg';

const daysBack = 31;
const timestamp = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * Moves a business that was just made behind its first orders, with its events, so that event times rise. Events refuse
 * every change: their trigger is passed over for this transaction.
 */
export async function backdateBusiness(database: pg.Client, businessId: number): Promise<void> {
  await database.query('SET LOCAL session_replication_role = replica');
  const interval = `interval '${daysBack} days'`;
  await database.query(
    `UPDATE businesses SET created_at = created_at - ${interval}, submitted_at = submitted_at - ${interval},
       decided_at = decided_at - ${interval} WHERE id = $1`,
    [businessId],
  );
  const events = await database.query<{ sequence: string; payload: unknown }>(
    'SELECT sequence, payload FROM events WHERE business_id = $1',
    [businessId],
  );
  for (const { sequence, payload } of events.rows) {
    await database.query(
      `UPDATE events SET created_at = created_at - ${interval}, payload = $3 WHERE business_id = $1 AND sequence = $2`,
      [businessId, sequence, JSON.stringify(payload).replaceAll(timestamp, backdate)],
    );
  }
  await database.query('SET LOCAL session_replication_role = origin');
}

const backdate = (text: string) => new Date(Date.parse(text) - daysBack * 86_400_000).toISOString();
