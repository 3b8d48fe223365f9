import type { Database } from '@platform/service-kit/database/database.ts';
import { nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';

/** A client secret, and its use before. Times are milliseconds since 1970 on the database's clock. */
interface UsedSecret {
  readonly id: string;
  readonly lastUsedAt: number | undefined;
  readonly readAt: number;
}

/** An application that has authenticated. */
export interface Client {
  readonly applicationId: string;
  readonly clientId: string;
  /** Scopes that it may request now. */
  readonly scopes: readonly string[];
  /** Whether a refresh that is repeated gets its tokens again. */
  readonly repeatLostRefresh: boolean;
  /** Whether its business is a sandbox. */
  readonly isSandbox: boolean;
  /** The secret that it authenticated with. */
  readonly secret: UsedSecret;
}

/** A client as its credentials find it. */
interface StoredClient extends Client {
  readonly ipWhitelist: readonly string[];
}

const clientRow = z.object({
  applicationId: z.string(),
  clientId: z.string(),
  scopes: z.array(z.string()),
  ipWhitelist: z.array(z.string()),
  repeatLostRefresh: z.boolean(),
  isSandbox: z.boolean(),
  secretId: z.string(),
  secretLastUsedAt: nullable(timestamp),
  nowMs: z.number(),
});

/** Milliseconds between updates of the last use of a secret. */
const noteEveryMs = 10_000;

export type ClientStore = ReturnType<typeof createClientStore>;

/** Finds clients in PostgreSQL. */
export function createClientStore(database: Database, prisma: PrismaClient) {
  return {
    /** One lookup by every hash of the secret, so that an unknown client and a wrong secret take the same time. */
    find: (clientId: string, secretHashes: readonly Buffer[]): Promise<StoredClient | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT a.id AS "applicationId", a.client_id AS "clientId", a.scopes, a.ip_whitelist AS "ipWhitelist",
                 a.repeat_lost_refresh AS "repeatLostRefresh", b.business_id IS NOT NULL AS "isSandbox", s.id AS "secretId", s.last_used_at AS "secretLastUsedAt",
                 extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"
          FROM client_secrets s JOIN applications a ON a.id = s.application_id
          LEFT JOIN sandboxes b ON b.business_id = a.business_id
          WHERE s.secret_hash IN (${Prisma.join([...secretHashes])}) AND a.client_id = ${clientId}`;
        const [row] = await readRows(clientRow, statement);
        if (row === undefined) return undefined;
        const { nowMs, secretId: id, secretLastUsedAt: lastUsedAt, ...client } = row;
        return { ...client, secret: { id, lastUsedAt, readAt: nowMs } };
      }),
    /** Records the last use of a secret, accurate to about ten seconds. */
    noteUse: async ({ id, lastUsedAt, readAt }: UsedSecret): Promise<void> => {
      // Not for every request, because all requests of a client would queue for this row.
      const due = readAt - noteEveryMs;
      if (lastUsedAt !== undefined && lastUsedAt >= due) return;
      const unnoted = [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(due) } }];
      await database.run(() =>
        prisma.clientSecret.updateMany({
          where: { id, OR: unnoted },
          data: { lastUsedAt: new Date(readAt) },
        }),
      );
    },
  };
}
