import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertRetiredNotices } from '../audit/notices/key-notices-store.ts';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from '../platform/storage.ts';
import {
  maxAddresses,
  type RetiredBatch,
  type RetiredEnd,
  type RetiredString,
  type RetiredUse,
} from './retired-string.ts';

const retiredRow = z.object({
  hash: bytes,
  id: z.string(),
  businessId: integer,
  credentialType: z.enum(['secret_key', 'restricted_key', 'access_token']),
  credentialId: z.string(),
  limitId: z.string(),
});

/** Retired strings by their hash in hexadecimal. */
export async function findRetiredStrings(
  prisma: PrismaClient,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, RetiredString>> {
  const statement = prisma.$queryRaw`
    SELECT hash, id, business_id AS "businessId", credential_type AS "credentialType", credential_id AS "credentialId",
           limit_id AS "limitId"
    FROM retired_strings WHERE hash = ANY(${[...hashes]}::bytea[])`;
  const rows = await readRows(retiredRow, statement);
  return new Map(rows.map(({ hash, ...retired }) => [hash.toString('hex'), retired]));
}

const nameRow = z.object({ limitId: z.string(), name: z.string() });

/** Names of API keys and applications that were deleted in the last 90 days, by limit id. */
export async function namesOfDeleted(
  prisma: PrismaClient,
  businessId: bigint,
  limitIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (limitIds.length === 0) return new Map();
  const statement = prisma.$queryRaw`
    SELECT DISTINCT ON (limit_id) limit_id AS "limitId", name FROM retired_strings
    WHERE business_id = ${businessId} AND limit_id = ANY(${[...limitIds]}) ORDER BY limit_id, retired_at DESC`;
  const rows = await readRows(nameRow, statement);
  return new Map(rows.map(({ limitId, name }) => [limitId, name]));
}

/** Adds calls. The last one only moves forward, and never past the database's clock, because the clock of a gateway may be wrong. */
async function addCalls(client: Prisma.TransactionClient, calls: RetiredBatch['calls']): Promise<void> {
  await client.$executeRaw`
    WITH added AS (
      SELECT "retiredId" AS id, requests, least(to_timestamp("lastAt" / 1000), clock_timestamp()) AS at, addresses
      FROM jsonb_to_recordset(${JSON.stringify(calls)}::jsonb)
        AS c ("retiredId" uuid, requests bigint, "lastAt" float8, addresses text[])
    ), held AS (
      SELECT id FROM retired_strings WHERE id IN (SELECT id FROM added) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE retired_strings s SET
      calls = s.calls + added.requests, last_call_at = greatest(s.last_call_at, added.at),
      addresses = ARRAY(
        SELECT address FROM unnest(
          CASE WHEN s.last_call_at > added.at THEN s.addresses || added.addresses ELSE added.addresses || s.addresses END)
          WITH ORDINALITY AS u (address, place)
        GROUP BY address ORDER BY min(place) LIMIT ${maxAddresses})
    FROM added JOIN held USING (id) WHERE s.id = added.id`;
}

const useRow = z.object({
  limitId: z.string(),
  lastFour: nullable(z.string()),
  reason: z.string(),
  retiredAt: timestamp,
  calls: integer,
  lastCallAt: timestamp,
  addresses: z.array(z.string()),
}) satisfies z.ZodType<RetiredUse>;

export type RetiredStore = ReturnType<typeof createRetiredStore>;

/** Keeps retired strings, and the calls that come with them, in PostgreSQL. */
export function createRetiredStore(database: Database, prisma: PrismaClient) {
  return {
    /** Adds a batch, unless one with its id was added before, and notifies owners of calls with strings of keys. */
    addOnce: ({ batchId, calls }: RetiredBatch): Promise<void> =>
      database.run(() =>
        prisma.$transaction(async (client) => {
          if (calls.length === 0) return;
          const added = await client.usageBatch.createMany({ data: { batchId }, skipDuplicates: true });
          if (added.count === 0) return;
          await addCalls(client, calls);
          await insertRetiredNotices(
            client,
            calls.map(({ retiredId }) => retiredId),
          );
        }),
      ),
    /** Those of a business with which calls came, the last call first. The tokens of a connection count together. */
    listUsed: (businessId: number, max: number): Promise<RetiredUse[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          SELECT limit_id AS "limitId", max(last_four) AS "lastFour",
                 (array_agg(reason ORDER BY retired_at DESC))[1] AS reason, max(retired_at) AS "retiredAt",
                 sum(calls)::bigint AS calls, max(last_call_at) AS "lastCallAt",
                 (array_agg(to_json(addresses) ORDER BY last_call_at DESC))[1] AS addresses
          FROM retired_strings WHERE business_id = ${BigInt(businessId)} AND calls > 0
          GROUP BY limit_id, CASE WHEN credential_type <> 'access_token' THEN id END
          ORDER BY "lastCallAt" DESC LIMIT ${max}`;
        return readRows(useRow, statement);
      }),
    /** Ends, by reason and time, of the strings of a credential before a call; the latest first. */
    endsBefore: (businessId: number, credentialId: string, at: number): Promise<RetiredEnd[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          SELECT reason, retired_at AS "at" FROM retired_strings
          WHERE business_id = ${BigInt(businessId)} AND credential_id = ${credentialId}
            AND retired_at <= ${new Date(at)} ORDER BY retired_at DESC LIMIT 2`;
        return readRows(endRow, statement);
      }),
    /** Forgets those of a business. */
    forget: (businessId: number): Promise<void> =>
      database.run(async () => {
        await prisma.retiredString.deleteMany({ where: { businessId: BigInt(businessId) } });
      }),
  };
}

const endRow = z.object({ reason: z.string(), at: timestamp }) satisfies z.ZodType<RetiredEnd>;
