import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { roleColumn } from '../platform/role.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { RequestRecord } from '../traffic/request-log.ts';

const matchRow = z
  .object({ businessId: integer, role: nullable(roleColumn), found: z.string() })
  .transform(({ businessId, role, found }) => ({
    businessId,
    found: role === undefined ? found : `${role} ${found}`,
  }));

/** A business of this database that a text leads to. */
export type Match = z.output<typeof matchRow>;

/** Matches of one kind. */
const maxMatches = 50;

export type OperatorSearch = ReturnType<typeof createOperatorSearch>;

/** Finds businesses by data in this service's database, beside one of the log. Every comparison uses an index. */
export function createOperatorSearch(database: Database, prisma: PrismaClient) {
  return (text: string, request: RequestRecord | undefined): Promise<Match[]> =>
    database.run(() =>
      readRows(
        matchRow,
        prisma.$queryRaw`
          SELECT DISTINCT "businessId", role, found FROM (
            (SELECT m.business_id AS "businessId", m.role::text AS role, p.email AS found
             FROM people p JOIN memberships m ON m.person_id = p.id WHERE p.email = lower(${text}) LIMIT ${maxMatches})
            UNION ALL
            (SELECT business_id, NULL, 'API key “' || name || '”' FROM api_keys
             WHERE id = ${text} OR last_four = ${text} ORDER BY created_at DESC LIMIT ${maxMatches})
            UNION ALL
            (SELECT business_id, NULL, 'app “' || name || '”' FROM applications
             WHERE client_id = ${text} OR id = ${text} LIMIT ${maxMatches})
            UNION ALL
            (SELECT ${request?.businessId ?? null}::bigint, NULL, ${nameOf(request)}::text)
          ) AS matches
          WHERE "businessId" IS NOT NULL
            AND NOT EXISTS (SELECT FROM sandboxes s WHERE s.business_id = "businessId") ORDER BY 1, 2, 3`,
      ),
    );
}

function nameOf(request: RequestRecord | undefined): string {
  return request === undefined ? '' : `request ${request.method} ${request.path}, ${request.status}`;
}
