import type { Database } from '@platform/service-kit/database.ts';
import type { FindCredential } from '../authorization/credential.ts';
import { findAccessToken } from './find-access-token.ts';
import { findApiKey } from './find-api-key.ts';
import type { PrismaClient } from './prisma.ts';

/** Milliseconds for the lookup: gateways wait 250 for the whole answer. */
const lookupLimitMs = 200;

/**
 * Credentials in PostgreSQL. One statement, hence one snapshot: a generation that is newer than the credential beside it
 * would let gateways keep an outdated answer.
 */
export function createFindCredential(database: Database, prisma: PrismaClient): FindCredential {
  const find = { api_key: findApiKey, access_token: findAccessToken };
  return (kind, hashes) => database.run(() => find[kind](prisma, hashes), lookupLimitMs);
}
