import type { Database } from '@platform/service-kit/database/database.ts';
import { Prisma } from '../generated/client.ts';
import { isScope, type Scope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { DatabaseClock } from './database-clock.ts';

/** An application that has authenticated. */
export interface Client {
  readonly applicationId: string;
  readonly clientId: string;
  /** What it may ask for at present. */
  readonly scopes: readonly Scope[];
}

/** A client as its credentials find it. */
interface StoredClient extends Client {
  readonly ipWhitelist: readonly string[];
  /** The secret that was shown. */
  readonly secretId: string;
}

/** Where clients are found. */
export interface ClientStore {
  /** One lookup by every hash of the secret, so that an unknown client and a wrong secret take the same time. */
  find(clientId: string, secretHashes: readonly Buffer[]): Promise<StoredClient | undefined>;
  /** Notes the use of a secret, to about ten seconds. */
  noteUse(secretId: string): Promise<void>;
}

interface ClientRow {
  readonly application_id: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  readonly ip_whitelist: readonly string[];
  readonly secret_id: string;
  readonly now_ms: number;
}

/** Clients in PostgreSQL. Every lookup also compares the clocks. */
export function createClientStore(
  database: Database,
  prisma: PrismaClient,
  clock: Pick<DatabaseClock, 'sample'>,
): ClientStore {
  return {
    find: (clientId, secretHashes) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ClientRow[]>`
          SELECT a.id AS application_id, a.client_id, a.scopes, a.ip_whitelist, s.id AS secret_id,
                 extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms
          FROM client_secrets s JOIN applications a ON a.id = s.application_id
          WHERE s.secret_hash IN (${Prisma.join([...secretHashes])}) AND a.client_id = ${clientId}`;
        if (row === undefined) return undefined;
        clock.sample(row.now_ms, performance.now());
        return {
          applicationId: row.application_id,
          clientId: row.client_id,
          scopes: row.scopes.filter(isScope),
          ipWhitelist: row.ip_whitelist,
          secretId: row.secret_id,
        };
      }),
    noteUse: (secretId) =>
      database.run(async () => {
        // Not with every request: all of a client's requests would queue for this one row.
        await prisma.$executeRaw`
          UPDATE client_secrets SET last_used_at = clock_timestamp()
          WHERE id = ${secretId}
            AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '10 seconds')`;
      }),
  };
}
