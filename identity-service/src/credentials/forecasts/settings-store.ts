import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { ApiScopes } from '../../platform/scope.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import { selectKeyCredentials } from '../authorization/credential-store.ts';
import { grantLimit } from '../grants/grant.ts';
import { suspendedColumn, suspendedValue } from '../suspensions/store.ts';
import type { AccessSettings } from './forecast.ts';

const grantRow = z
  .object({
    limitId: z.string(),
    businessId: integer,
    scopes: z.array(z.string()),
    applicationScopes: z.array(z.string()),
    ipWhitelist: z.array(z.string()),
    frozen: z.boolean(),
    suspended: suspendedValue,
    readAt: timestamp,
  })
  .transform(
    ({ applicationScopes, ...row }): AccessSettings => ({
      ...row,
      scopes: row.scopes.filter((scope) => applicationScopes.includes(scope)),
      limit: grantLimit,
      expiresAt: undefined,
      keyFrozen: false,
    }),
  );

/** Live Grants `g` of applications `a`, as tokens with all their scopes have them. */
function selectGrantSettings(prisma: PrismaClient, condition: Prisma.Sql): Promise<AccessSettings[]> {
  return readRows(
    grantRow,
    prisma.$queryRaw`
      SELECT g.id AS "limitId", g.business_id AS "businessId", g.scopes, a.scopes AS "applicationScopes",
             a.ip_whitelist AS "ipWhitelist", f.business_id IS NOT NULL AS frozen, ${suspendedColumn},
             clock_timestamp() AS "readAt"
      FROM grants g JOIN applications a ON a.id = g.application_id
      LEFT JOIN business_freezes f ON f.business_id = g.business_id
      WHERE g.ended_at IS NULL AND ${condition}`,
  );
}

export type SettingsReader = ReturnType<typeof createSettingsReader>;

/** Reads the settings that decide about requests today. */
export function createSettingsReader(database: Database, prisma: PrismaClient, apiScopes: ApiScopes) {
  return {
    /** Of an API key; empty when the business has no such key. */
    ofKey: async (businessId: number, apiKeyId: string): Promise<AccessSettings[]> => {
      const condition = Prisma.sql`k.id = ${apiKeyId} AND k.business_id = ${BigInt(businessId)}`;
      const found = await database.run(() => selectKeyCredentials(prisma, apiScopes, condition));
      return found.map(({ credential }) => credential);
    },
    /** Of a live Grant that the business gave; empty when there is none. */
    ofGrant: (businessId: number, grantId: string): Promise<AccessSettings[]> =>
      database.run(() =>
        selectGrantSettings(prisma, Prisma.sql`g.id = ${grantId} AND g.business_id = ${BigInt(businessId)}`),
      ),
    /** Of every API key of a business, and of every live Grant that it gave. */
    ofBusiness: (businessId: number): Promise<AccessSettings[]> =>
      database.run(async () => {
        const id = BigInt(businessId);
        const keys = await selectKeyCredentials(prisma, apiScopes, Prisma.sql`k.business_id = ${id}`);
        const grants = await selectGrantSettings(prisma, Prisma.sql`g.business_id = ${id}`);
        return [...keys.map(({ credential }) => credential), ...grants];
      }),
    /** Of every live Grant of an application of the business. */
    ofApplication: (businessId: number, applicationId: string): Promise<AccessSettings[]> =>
      database.run(() =>
        selectGrantSettings(
          prisma,
          Prisma.sql`a.id = ${applicationId} AND a.business_id = ${BigInt(businessId)}`,
        ),
      ),
  };
}
