import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { createApiKeyTransaction } from '../credentials/api-keys/store.ts';
import type { Prisma } from '../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';
import { takePlaces, throttleKey } from '../platform/throttle.ts';
import { type LeakPolicy, leakPolicies } from './policy.ts';

/** A client secret that was found, and its application. */
export interface KnownSecret {
  readonly hash: Buffer;
  readonly id: string;
  readonly lastFour: string;
  readonly applicationId: string;
  readonly name: string;
  readonly businessId: number;
}

const hashRow = z.object({ hash: bytes });

const secretRow = z.object({
  hash: bytes,
  id: z.string(),
  lastFour: z.string(),
  applicationId: z.string(),
  name: z.string(),
  businessId: integer,
}) satisfies z.ZodType<KnownSecret>;

/** A policy that this version does not know changes no key. */
const policyRow = z.object({ policy: z.enum(leakPolicies).catch('notify') });

export type LeakStore = ReturnType<typeof createLeakStore>;

/** Finds leaked credentials in PostgreSQL, and keeps what owners want done about them. */
export function createLeakStore(database: Database, prisma: PrismaClient) {
  return {
    policy: (businessId: number): Promise<LeakPolicy> => database.run(() => readPolicy(prisma, businessId)),
    /** Those of these hashes that belong to API keys. */
    findKeys: (hashes: readonly Buffer[]): Promise<Buffer[]> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT secret_hash AS hash FROM api_keys WHERE secret_hash = ANY(${[...hashes]}::bytea[])`;
        return (await readRows(hashRow, statement)).map(({ hash }) => hash);
      }),
    findClientSecrets: (hashes: readonly Buffer[]): Promise<KnownSecret[]> =>
      database.run(() => {
        const statement = prisma.$queryRaw`
          SELECT s.secret_hash AS hash, s.id, s.last_four AS "lastFour", a.id AS "applicationId", a.name,
                 a.business_id AS "businessId"
          FROM client_secrets s JOIN applications a ON a.id = s.application_id
          WHERE s.secret_hash = ANY(${[...hashes]}::bytea[])`;
        return readRows(secretRow, statement);
      }),
    inTransaction: transactionsOf(database, prisma, createLeakTransaction),
  };
}

async function readPolicy(client: Prisma.TransactionClient, businessId: number): Promise<LeakPolicy> {
  const row = await client.leakPolicy.findUnique({ where: { businessId: BigInt(businessId) } });
  return row === null ? 'notify' : policyRow.parse(row).policy;
}

const daySeconds = 86_400;

function createLeakTransaction(client: Prisma.TransactionClient) {
  return {
    ...createApiKeyTransaction(client),
    policy: (businessId: number): Promise<LeakPolicy> => readPolicy(client, businessId),
    /** Reads the policy and keeps others from changing it until the transaction ends. */
    lockPolicy: async (businessId: number): Promise<LeakPolicy> => {
      const data = { businessId: BigInt(businessId), policy: 'notify' };
      await client.leakPolicy.createMany({ data, skipDuplicates: true });
      const statement = client.$queryRaw`
        SELECT policy FROM leak_policies WHERE business_id = ${data.businessId} FOR UPDATE`;
      const [row] = await readRows(policyRow, statement);
      return row?.policy ?? 'notify';
    },
    setPolicy: async (businessId: number, policy: LeakPolicy): Promise<void> => {
      await client.leakPolicy.updateMany({ where: { businessId: BigInt(businessId) }, data: { policy } });
    },
    /** Whether a leak of an API key or client secret is the first one of its day (UTC). */
    isFirstOfDay: async (id: string): Promise<boolean> => {
      const key = throttleKey('leak:credential', id);
      const admitted = await takePlaces(client, [{ key, limit: 1, windowSeconds: daySeconds, wanted: 1 }]);
      return admitted.get(key) === 1;
    },
  };
}

export type LeakTransaction = ReturnType<typeof createLeakTransaction>;
