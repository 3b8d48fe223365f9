import type { Platform } from './platform.ts';

/** Facts that the platform has stored about the latest connection of an application. */
export interface ConnectedFacts {
  /** Why it ended; null while it lives. */
  readonly ended: string | null;
  /** Pairs of tokens, so one more than there were refreshes. */
  readonly pairs: number;
  /** Refreshes with an Idempotency-Key. */
  readonly keys: number;
}

/** Reads them. @throws when there is no connection */
export async function connectedFacts(platform: Platform, applicationId: string): Promise<ConnectedFacts> {
  const [row] = await platform.sql<{ end_reason: string | null; pairs: string; keys: string }>(
    `SELECT end_reason, count(token_hash) AS pairs, count(idempotency_hash) AS keys
       FROM grants LEFT JOIN refresh_tokens ON grant_id = grants.id
      WHERE application_id = $1 GROUP BY grants.id ORDER BY grants.created_at DESC LIMIT 1`,
    [applicationId],
  );
  if (row === undefined) throw new Error('no business is connected');
  return { ended: row.end_reason, pairs: Number(row.pairs), keys: Number(row.keys) };
}
