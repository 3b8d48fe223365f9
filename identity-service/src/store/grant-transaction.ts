import type { Prisma } from '../generated/client.ts';
import type { GrantTransaction } from '../grants/grant-store.ts';
import { insertAuditEvent } from './audit-store.ts';
import { raiseGeneration } from './generation-store.ts';

interface EndedRow {
  readonly business_id: bigint;
  readonly application_id: string;
  readonly application_name: string;
}

/** What an operation on Grants does in one transaction of `client`. */
export function createGrantTransaction(client: Prisma.TransactionClient): GrantTransaction {
  return {
    end: async (id, reason) => {
      const [row] = await client.$queryRaw<EndedRow[]>`
        UPDATE grants SET ended_at = clock_timestamp(), end_reason = ${reason}
        WHERE id = ${id} AND ended_at IS NULL
        RETURNING business_id, application_id,
                  (SELECT name FROM applications a WHERE a.id = application_id) AS application_name`;
      return (
        row && {
          id,
          businessId: Number(row.business_id),
          applicationId: row.application_id,
          applicationName: row.application_name,
        }
      );
    },
    businessOf: async (id) => {
      const [row] = await client.$queryRaw<{ business_id: bigint }[]>`
        SELECT business_id FROM grants WHERE id = ${id}`;
      return row && Number(row.business_id);
    },
    raiseGeneration: (businessId) => raiseGeneration(client, businessId),
    audit: (event) => insertAuditEvent(client, event),
  };
}
