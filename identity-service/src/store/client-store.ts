import type { Database } from '@platform/service-kit/database.ts';
import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';
import type { ArrivalClock } from '../oauth/token/arrival-clock.ts';
import type { ClientStore } from '../oauth/token/client.ts';
import type { PrismaClient } from './prisma.ts';

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
  clock: Pick<ArrivalClock, 'sample'>,
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
