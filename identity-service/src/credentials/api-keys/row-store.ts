import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import { apiKeyStatus } from '../../platform/expiry.ts';
import type { ApiKey, KeyFreeze, KeyPerson } from './api-key.ts';
import { expiresSoon } from './search-store.ts';

/** The person that a column of `api_keys` names, and whether it still belongs to the team. */
function personOf(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    (SELECT json_build_object('personId', p.id, 'name', p.name, 'isMember', EXISTS (
       SELECT 1 FROM memberships m WHERE m.person_id = p.id AND m.business_id = api_keys.business_id))
     FROM people p WHERE p.id = api_keys.${column})`;
}

const keyPerson = nullable(
  z.object({ personId: z.string(), name: z.string(), isMember: z.boolean() }) satisfies z.ZodType<KeyPerson>,
);

const freezeColumn = Prisma.sql`
  CASE WHEN frozen_at IS NOT NULL THEN json_build_object(
    'frozenAt', round(extract(epoch FROM frozen_at) * 1000), 'reason', freeze_reason,
    'frozenBy', CASE WHEN frozen_by IS NOT NULL THEN json_build_object(
      'personId', frozen_by, 'name', coalesce((SELECT p.name FROM people p WHERE p.id = api_keys.frozen_by), '')) END)
  END AS freeze`;

const keyFreeze = nullable(
  z.object({
    frozenAt: z.int(),
    reason: z.string(),
    frozenBy: nullable(z.object({ personId: z.string(), name: z.string() })),
  }) satisfies z.ZodType<KeyFreeze>,
);

/** Columns of `apiKeyRow`, together with the database's clock at that moment. */
export const apiKeyColumns = Prisma.sql`
  id, business_id AS "businessId", name, description, key_type::text AS "keyType", scopes, ip_whitelist AS "ipWhitelist", last_four AS "lastFour",
  request_limit AS "limit", greatest(request_limit, granted_limit) AS "grantedLimit", created_at AS "createdAt", expires_at AS "expiresAt", rotated_at AS "rotatedAt",
  last_used_at AS "lastUsedAt", last_used_ip AS "lastUsedIp", ${personOf(Prisma.sql`created_by`)} AS "createdBy",
  ${personOf(Prisma.sql`secret_seen_by`)} AS "secretSeenBy", ${freezeColumn}, ${expiresSoon} AS "expiresSoon", clock_timestamp() AS "readAt"`;

export const apiKeyRow = z
  .object({
    id: z.string(),
    businessId: integer,
    name: z.string(),
    description: z.string(),
    keyType: z.enum(['secret', 'restricted']),
    scopes: z.array(z.string()),
    ipWhitelist: z.array(z.string()),
    lastFour: z.string(),
    limit: z.int(),
    grantedLimit: z.int(),
    createdAt: timestamp,
    expiresAt: nullable(timestamp),
    rotatedAt: nullable(timestamp),
    lastUsedAt: nullable(timestamp),
    lastUsedIp: nullable(z.string()),
    createdBy: keyPerson,
    secretSeenBy: keyPerson,
    freeze: keyFreeze,
    expiresSoon: z.boolean(),
    readAt: timestamp,
  })
  .transform(({ readAt, ...key }): ApiKey => ({ ...key, status: apiKeyStatus(key.expiresAt, readAt) }));

/** Reads API keys. @param condition what follows WHERE, order and lock included */
export function selectApiKeys(client: Prisma.TransactionClient, condition: Prisma.Sql): Promise<ApiKey[]> {
  return readRows(apiKeyRow, client.$queryRaw`SELECT ${apiKeyColumns} FROM api_keys WHERE ${condition}`);
}

/** The condition of a statement for one key. */
export function oneKey(businessId: number, id: string): Prisma.Sql {
  return Prisma.sql`id = ${id} AND business_id = ${BigInt(businessId)}`;
}

/** Reads a key that this transaction has added or locked. */
export async function readApiKey(
  client: Prisma.TransactionClient,
  businessId: number,
  id: string,
): Promise<ApiKey> {
  const [key] = await selectApiKeys(client, oneKey(businessId, id));
  if (key === undefined) throw new Error('a key of this transaction is gone');
  return key;
}
