import type { Database } from '@platform/service-kit/database.ts';
import type { KeyType } from '../api-keys/api-key.ts';
import { grantedScopes } from '../api-keys/key-scopes.ts';
import type { Credential, FindCredential } from '../authorization/credential.ts';
import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './prisma.ts';

interface CredentialRow {
  readonly id: string;
  readonly business_id: bigint;
  readonly key_type: KeyType;
  readonly scopes: readonly string[];
  readonly request_limit: number;
  readonly expires_at: Date | null;
  readonly generation: bigint;
  readonly read_at: Date;
}

/** Milliseconds for the lookup: gateways wait 250 for the whole answer. */
const lookupLimitMs = 200;

/**
 * Credentials in PostgreSQL. One statement, hence one snapshot: a generation that is newer than the key beside it would
 * let gateways keep an outdated answer.
 */
export function createFindCredential(database: Database, prisma: PrismaClient): FindCredential {
  return (hashes) =>
    database.run(async () => {
      const [row] = await prisma.$queryRaw<CredentialRow[]>`
        SELECT k.id, k.business_id, k.key_type::text, k.scopes, k.request_limit, k.expires_at,
               coalesce(g.generation, 1) AS generation, clock_timestamp() AS read_at
        FROM api_keys k LEFT JOIN credential_generations g ON g.business_id = k.business_id
        WHERE k.secret_hash IN (${Prisma.join([...hashes])})`;
      return row && toCredential(row);
    }, lookupLimitMs);
}

function toCredential(row: CredentialRow): Credential {
  const keyType = row.key_type;
  return {
    id: row.id,
    type: keyType === 'secret' ? 'secret_key' : 'restricted_key',
    businessId: Number(row.business_id),
    scopes: grantedScopes({ keyType, scopes: row.scopes.filter(isScope) }),
    limitId: row.id,
    limit: row.request_limit,
    generation: Number(row.generation),
    expiresAt: row.expires_at?.getTime(),
    readAt: row.read_at.getTime(),
  };
}
