import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';
import type { TokenTransaction } from '../oauth/token/token-store.ts';

interface RefreshTokenRow {
  readonly token_hash: Uint8Array;
  readonly grant_id: string;
  readonly is_live: boolean;
  readonly scopes: readonly string[];
}

interface RotationRow {
  readonly used_ms: number;
  readonly settled_ms: number | null;
  readonly now_ms: number;
  readonly idempotency_hash: Uint8Array | null;
  readonly sealed_answer: Uint8Array | null;
}

/** Refresh tokens within a transaction of `client`. */
export function refreshTokenStatements(
  client: Prisma.TransactionClient,
): Pick<TokenTransaction, 'findRefreshToken' | 'consumeRefreshToken' | 'findRotation' | 'keepAnswer'> {
  return {
    findRefreshToken: async (applicationId, hashes) => {
      // The Grant first: whoever removes it locks it before its tokens, too.
      const [row] = await client.$queryRaw<RefreshTokenRow[]>`
        SELECT r.token_hash, r.grant_id, g.ended_at IS NULL AS is_live, r.scopes
        FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
        WHERE r.token_hash IN (${Prisma.join([...hashes])}) AND g.application_id = ${applicationId}
        FOR KEY SHARE OF g`;
      return (
        row && {
          hash: row.token_hash,
          grantId: row.grant_id,
          grantIsLive: row.is_live,
          scopes: row.scopes.filter(isScope),
        }
      );
    },
    consumeRefreshToken: async (hash) => {
      const consumed = await client.$executeRaw`
        UPDATE refresh_tokens SET used_at = clock_timestamp()
        WHERE token_hash = ${hash} AND used_at IS NULL AND clock_timestamp() < expires_at`;
      return consumed === 1;
    },
    findRotation: async (hash) => {
      const [row] = await client.$queryRaw<RotationRow[]>`
        SELECT extract(epoch FROM used_at)::float8 * 1000 AS used_ms,
               extract(epoch FROM settled_at)::float8 * 1000 AS settled_ms,
               extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms, idempotency_hash, sealed_answer
        FROM refresh_tokens WHERE token_hash = ${hash} AND used_at IS NOT NULL`;
      return (
        row && {
          usedAt: row.used_ms,
          settledAt: row.settled_ms ?? undefined,
          readAt: row.now_ms,
          idempotencyHash: row.idempotency_hash ?? undefined,
          sealedAnswer: row.sealed_answer ?? undefined,
        }
      );
    },
    keepAnswer: async (hash, idempotencyHash, sealedAnswer) => {
      await client.$executeRaw`
        UPDATE refresh_tokens SET idempotency_hash = ${idempotencyHash}, sealed_answer = ${sealedAnswer}
        WHERE token_hash = ${hash}`;
    },
  };
}
