import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { ConnectionReader, GivenGrant, HeldGrant } from '../grants/connection-reader.ts';
import type { Page } from '../page.ts';
import { type GrantRow, grantColumns, toGrant } from './grant-row.ts';
import { behind } from './paging.ts';
import type { PrismaClient } from './prisma.ts';

/** Live Grants in PostgreSQL, from both ends. */
export function createConnectionReader(database: Database, prisma: PrismaClient): ConnectionReader {
  return {
    given: (businessId, page) => database.run(() => readGiven(prisma, BigInt(businessId), page)),
    held: (businessId, applicationId, page) =>
      database.run(() => readHeld(prisma, BigInt(businessId), applicationId, page)),
  };
}

interface GivenRow extends GrantRow {
  readonly application_description: string;
  readonly person_name: string | null;
  readonly requests: number;
}

async function readGiven(prisma: PrismaClient, businessId: bigint, page: Page): Promise<GivenGrant[]> {
  const rows = await prisma.$queryRaw<GivenRow[]>`
    WITH recent AS (
      SELECT limit_id, sum(count_2xx + count_4xx + count_429 + count_5xx) AS requests FROM usage_counts
      WHERE business_id = ${businessId} AND credential_type = 'access_token'
        AND minute > now() - interval '24 hours'
      GROUP BY limit_id
    )
    SELECT ${grantColumns}, a.description AS application_description, p.name AS person_name,
           coalesce(recent.requests, 0)::float8 AS requests
    FROM grants g JOIN applications a ON a.id = g.application_id
    LEFT JOIN people p ON p.id = g.person_id LEFT JOIN recent ON recent.limit_id = g.id
    WHERE g.business_id = ${businessId} AND g.ended_at IS NULL ${pageOf(page)}`;
  return rows.map((row) => ({
    ...toGrant(row),
    applicationDescription: row.application_description,
    personName: row.person_name ?? undefined,
    requestsLastDay: row.requests,
  }));
}

async function readHeld(
  prisma: PrismaClient,
  businessId: bigint,
  applicationId: string,
  page: Page,
): Promise<HeldGrant[]> {
  const rows = await prisma.$queryRaw<GrantRow[]>`
    SELECT ${grantColumns} FROM grants g JOIN applications a ON a.id = g.application_id
    WHERE a.id = ${applicationId} AND a.business_id = ${businessId} AND g.ended_at IS NULL ${pageOf(page)}`;
  return rows.map(toGrant);
}

function pageOf({ after, limit }: Page): Prisma.Sql {
  const place = after ? behind(after, Prisma.sql`g.created_at`, Prisma.sql`g.id`) : Prisma.empty;
  return Prisma.sql`${place} ORDER BY g.created_at DESC, g.id LIMIT ${limit}`;
}
