import { Prisma } from '../generated/client.ts';
import type { TokenTransaction } from '../oauth/token/token-store.ts';

interface RevocableRow {
  readonly kind: 'access_token' | 'refresh_token';
  readonly id: string;
  readonly hash: Uint8Array;
  readonly grant_id: string;
  readonly business_id: bigint;
  readonly application_id: string;
}

/** Revocation within a transaction of `client`. */
export function revocationStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findRevocable' | 'revokeAccessToken'> {
  return {
    findRevocable: async (hashes) => {
      const candidates = Prisma.join([...hashes]);
      const [row] = await client.$queryRaw<RevocableRow[]>`
        SELECT t.kind, t.id, t.hash, t.grant_id, g.business_id, g.application_id
        FROM (
          SELECT 'access_token' AS kind, id, token_hash AS hash, grant_id
          FROM access_tokens WHERE token_hash IN (${candidates})
          UNION ALL
          SELECT 'refresh_token', grant_id, token_hash, grant_id
          FROM refresh_tokens WHERE token_hash IN (${candidates})
        ) t JOIN grants g ON g.id = t.grant_id`;
      return (
        row && {
          kind: row.kind,
          id: row.id,
          hash: row.hash,
          grantId: row.grant_id,
          businessId: Number(row.business_id),
          applicationId: row.application_id,
        }
      );
    },
    revokeAccessToken: async (hash) => {
      await client.$executeRaw`
        UPDATE access_tokens SET revoked_at = clock_timestamp()
        WHERE token_hash = ${hash} AND revoked_at IS NULL`;
    },
  };
}
