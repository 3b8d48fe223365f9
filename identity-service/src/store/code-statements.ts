import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';
import type { TokenTransaction } from '../oauth/token/token-store.ts';

interface CodeRow {
  readonly code_hash: Uint8Array;
  readonly grant_id: string;
  readonly is_live: boolean;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date;
  readonly now: Date;
}

/** Authorization codes within a transaction of `client`. */
export function codeStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findCode' | 'consumeCode' | 'isCodeUsed' | 'burnCode'> {
  return {
    findCode: async (applicationId, hashes) => {
      // The Grant first: whoever removes it locks it before its codes, too.
      const [row] = await client.$queryRaw<CodeRow[]>`
        SELECT c.code_hash, c.grant_id, g.ended_at IS NULL AS is_live, c.redirect_uri, c.code_challenge, c.scopes,
               c.expires_at, clock_timestamp() AS now
        FROM authorization_codes c JOIN grants g ON g.id = c.grant_id
        WHERE c.code_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      return (
        row && {
          hash: row.code_hash,
          grantId: row.grant_id,
          grantIsLive: row.is_live,
          redirectUri: row.redirect_uri,
          challenge: row.code_challenge,
          scopes: row.scopes.filter(isScope),
          expiresAt: row.expires_at.getTime(),
          readAt: row.now.getTime(),
        }
      );
    },
    consumeCode: async (hash) => {
      const consumed = await client.$executeRaw`
        UPDATE authorization_codes SET used_at = clock_timestamp()
        WHERE code_hash = ${hash} AND used_at IS NULL`;
      return consumed === 1;
    },
    isCodeUsed: async (hash) => {
      const rows = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM authorization_codes WHERE code_hash = ${hash} AND used_at IS NOT NULL`;
      return rows.length === 1;
    },
    burnCode: async (hash) => {
      await client.$executeRaw`DELETE FROM authorization_codes WHERE code_hash = ${hash}`;
    },
  };
}
