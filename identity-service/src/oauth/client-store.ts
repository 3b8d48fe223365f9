import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { Scope } from '../platform/scope.ts';
import { type PrismaClient, scopeColumn } from '../platform/storage.ts';
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

const clientRow = z.object({
  applicationId: z.string(),
  clientId: z.string(),
  scopes: scopeColumn,
  ipWhitelist: z.array(z.string()),
  secretId: z.string(),
  nowMs: z.number(),
});

export type ClientStore = ReturnType<typeof createClientStore>;

/** Finds clients in PostgreSQL. Every lookup also compares the clocks. */
export function createClientStore(
  database: Database,
  prisma: PrismaClient,
  clock: Pick<DatabaseClock, 'sample'>,
) {
  return {
    /** One lookup by every hash of the secret, so that an unknown client and a wrong secret take the same time. */
    find: (clientId: string, secretHashes: readonly Buffer[]): Promise<StoredClient | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT a.id AS "applicationId", a.client_id AS "clientId", a.scopes, a.ip_whitelist AS "ipWhitelist",
                 s.id AS "secretId", extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"
          FROM client_secrets s JOIN applications a ON a.id = s.application_id
          WHERE s.secret_hash IN (${Prisma.join([...secretHashes])}) AND a.client_id = ${clientId}`;
        const [row] = await readRows(clientRow, statement);
        if (row === undefined) return undefined;
        const { nowMs, ...client } = row;
        clock.sample(nowMs, performance.now());
        return client;
      }),
    /** Notes the use of a secret, to about ten seconds. */
    noteUse: (secretId: string): Promise<void> =>
      database.run(async () => {
        // Not with every request: all of a client's requests would queue for this one row.
        await prisma.$executeRaw`
          UPDATE client_secrets SET last_used_at = clock_timestamp()
          WHERE id = ${secretId}
            AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '10 seconds')`;
      }),
  };
}
