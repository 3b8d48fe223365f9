import type { Database } from '@platform/service-kit/database.ts';
import type { FindCredential } from '../authorization/credential.ts';
import { findAccessToken } from './find-access-token.ts';
import { findApiKey } from './find-api-key.ts';
import type { PrismaClient } from './prisma.ts';

/**
 * Credentials in PostgreSQL. One statement, hence one snapshot: a generation that is newer than the credential beside it
 * would let gateways keep an outdated answer. A lookup is given up after `lookupLimitMs` milliseconds.
 */
export function createFindCredential(
  database: Database,
  prisma: PrismaClient,
  lookupLimitMs: number,
): FindCredential {
  const find = { api_key: findApiKey, access_token: findAccessToken };
  return (kind, hashes) => database.run(() => find[kind](prisma, hashes), lookupLimitMs);
}
