import { Prisma } from '../generated/client.ts';
import type { AddressUse, EndpointUse } from '../usage/usage-reader.ts';
import { grantsOf } from './application-usage.ts';
import { moment } from './moment.ts';
import type { PrismaClient } from './prisma.ts';

/** Rows of an answer at most. */
const maxPlaces = 100;
const maxApplicationAddresses = 200;

interface AddressRow {
  readonly address: string;
  readonly requests: number;
  readonly successes: number;
  readonly last_success_at: Date | null;
}

/** Addresses of some limit ids of a business. */
export function readAddresses(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
  since: number,
): Promise<AddressUse[]> {
  const whose = Prisma.sql`u.business_id = ${BigInt(businessId)} AND u.limit_id = ANY(${[...limitIds]})`;
  return readAddressesOf(prisma, whose, since, Prisma.sql`2 DESC, u.address LIMIT ${maxPlaces}`);
}

/** Addresses of every Grant, ended ones too, of one application of a business; the latest success first. */
export function readApplicationAddresses(
  prisma: PrismaClient,
  businessId: number,
  applicationId: string,
  since: number,
): Promise<AddressUse[]> {
  const grants = Prisma.sql`SELECT id FROM (${grantsOf(businessId, applicationId)}) AS g`;
  const order = Prisma.sql`4 DESC NULLS LAST, u.address LIMIT ${maxApplicationAddresses}`;
  return readAddressesOf(prisma, Prisma.sql`u.limit_id IN (${grants})`, since, order);
}

async function readAddressesOf(
  prisma: PrismaClient,
  whose: Prisma.Sql,
  since: number,
  order: Prisma.Sql,
): Promise<AddressUse[]> {
  const rows = await prisma.$queryRaw<AddressRow[]>`
    SELECT u.address, sum(u.requests)::float8 AS requests, sum(u.successes)::float8 AS successes,
           max(u.last_success_at) AS last_success_at
    FROM usage_addresses u WHERE ${whose} AND ${hourFrom(since)}
    GROUP BY u.address ORDER BY ${order}`;
  return rows.map(({ last_success_at, ...use }) => ({ ...use, lastSuccessAt: last_success_at?.getTime() }));
}

/** Routes of some limit ids of a business. */
export function readEndpoints(
  prisma: PrismaClient,
  businessId: number,
  limitIds: readonly string[],
  since: number,
): Promise<EndpointUse[]> {
  return prisma.$queryRaw<EndpointUse[]>`
    SELECT u.method, u.route, sum(u.requests)::float8 AS requests
    FROM usage_endpoints u
    WHERE u.business_id = ${BigInt(businessId)} AND u.limit_id = ANY(${[...limitIds]}) AND ${hourFrom(since)}
    GROUP BY u.method, u.route ORDER BY 3 DESC, u.route, u.method LIMIT ${maxPlaces}`;
}

function hourFrom(since: number): Prisma.Sql {
  return Prisma.sql`u.hour >= date_trunc('hour', ${moment(since)}, 'UTC')`;
}
