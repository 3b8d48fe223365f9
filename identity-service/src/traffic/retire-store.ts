import type { Prisma } from '../generated/client.ts';

/*
 * Keeps the hash of strings that end, in the transaction that ends them. Called before the string is replaced or its row
 * deleted.
 */

/** Keeps the strings of API keys `k`, and locks these in the order of their ids. */
export async function retireKeyStrings(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
  reason: 'rotated' | 'deleted',
): Promise<void> {
  await client.$executeRaw`
    WITH ended AS (SELECT * FROM api_keys k WHERE ${condition} ORDER BY k.id FOR UPDATE)
    INSERT INTO retired_strings (hash, business_id, credential_type, credential_id, limit_id, name, last_four, reason)
    SELECT secret_hash, business_id, key_type || '_key', id, id, name, last_four, ${reason} FROM ended
    ON CONFLICT (hash) DO NOTHING`;
}

/**
 * Keeps access tokens `t` of Grants `g`, except expired ones, which are many. One that was revoked before keeps that reason.
 * @param reason `revoked`, or why the Grant ended
 */
export async function retireTokens(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
  reason: string,
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO retired_strings (hash, business_id, credential_type, credential_id, limit_id, name, reason)
    SELECT t.token_hash, g.business_id, 'access_token', t.id, g.id, a.name, ${reason}
    FROM access_tokens t JOIN grants g ON g.id = t.grant_id JOIN applications a ON a.id = g.application_id
    WHERE ${condition} AND t.expires_at > now() ORDER BY t.id
    ON CONFLICT (hash) DO NOTHING`;
}
