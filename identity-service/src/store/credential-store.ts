import type { Database } from '@platform/service-kit/database.ts';
import type { Liveness } from '@platform/service-kit/liveness.ts';
import type { Credential, FindCredential } from '../authorization/credential.ts';
import type { AuthorizeMetrics } from '../metrics/authorize-metrics.ts';
import { findAccessTokens } from './find-access-token.ts';
import { findApiKeys } from './find-api-key.ts';
import type { PrismaClient } from './prisma.ts';
import { createSharedLookup } from './shared-lookup.ts';

export interface FindCredentialDeps {
  readonly database: Database;
  readonly prisma: PrismaClient;
  /** Of PostgreSQL: one that is dead is not waited for. */
  readonly liveness: Pick<Liveness, 'watch'>;
  readonly metrics: Pick<AuthorizeMetrics, 'observeWait' | 'observeQuery'>;
}

/**
 * Credentials in PostgreSQL: for each at most one indexed read, outside any transaction. One statement, hence one
 * snapshot: a generation that is newer than the credential beside it would let gateways keep an outdated answer.
 */
export function createFindCredential(deps: FindCredentialDeps): FindCredential {
  const { database, prisma, liveness, metrics } = deps;
  const shared = (find: FindMany) =>
    createSharedLookup({
      query: (hashes) => liveness.watch(() => database.run(() => find(prisma, hashes))),
      onWaited: metrics.observeWait,
      onQueried: metrics.observeQuery,
    });
  const find = { api_key: shared(findApiKeys), access_token: shared(findAccessTokens) };
  return (kind, hashes, endsAt) => find[kind](hashes, endsAt);
}

/** Credentials by their hash in hexadecimal. */
type FindMany = (prisma: PrismaClient, hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Credential>>;
