import type { Prisma } from '../generated/client.ts';
import type { StoredTokenPair } from '../oauth/token/token-pair.ts';
import type { TokenTransaction } from '../oauth/token/token-store.ts';
import { codeStatements } from './code-statements.ts';
import { createGrantTransaction } from './grant-transaction.ts';
import { refreshTokenStatements } from './refresh-token-statements.ts';
import { revocationStatements } from './revocation-statements.ts';

/** What an operation on codes and tokens does in one transaction of `client`. */
export function createTokenTransaction(client: Prisma.TransactionClient): TokenTransaction {
  return {
    ...createGrantTransaction(client),
    ...codeStatements(client),
    ...refreshTokenStatements(client),
    ...revocationStatements(client),
    insertTokens: (pair) => insertTokens(client, pair),
  };
}

async function insertTokens(
  client: Prisma.TransactionClient,
  { grantId, access, refresh, lifetimes }: StoredTokenPair,
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO access_tokens (token_hash, id, grant_id, scopes, expires_at)
    VALUES (${access.hash}, ${access.id}, ${grantId}, ${[...access.scopes]},
            clock_timestamp() + make_interval(secs => ${lifetimes.accessTokenSeconds}))`;
  await client.$executeRaw`
    INSERT INTO refresh_tokens (token_hash, grant_id, scopes, expires_at)
    VALUES (${refresh.hash}, ${grantId}, ${[...refresh.scopes]},
            clock_timestamp() + make_interval(secs => ${lifetimes.refreshTokenSeconds}))`;
}
