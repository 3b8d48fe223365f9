import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { NewEvent } from '../../audit/events/event.ts';
import { insertEvents } from '../../audit/events/store.ts';
import { insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import { lockActingRole } from '../../platform/acting-role.ts';
import type { Actor, AuditEvent } from '../../platform/actor.ts';
import { raiseGeneration } from '../../platform/credential-generations.ts';
import type { Position } from '../../platform/pagination.ts';
import { afterCursor, type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { retireKeyStrings } from '../../traffic/retire-store.ts';
import type { KeyLifetime } from '../key-lifetimes/lifetime.ts';
import { readKeyLifetime } from '../key-lifetimes/store.ts';
import type { ApiKey, KeyWithSecret, NewApiKey, StoredSecret } from './api-key.ts';
import type { KeyFilter } from './key-filter.ts';
import { defaultRules, type ListedRules, type MemberKeyRules } from './member-rules.ts';
import { apiKeyColumns, apiKeyRow, oneKey, readApiKey, selectApiKeys } from './row-store.ts';
import { matchingKeys } from './search-store.ts';
import type { SettingsChange } from './settings.ts';

/** A step of a key towards its expiration, and the span before it in which it is announced. */
export interface NoticeStep {
  /** Days before the expiration; 0 for the expiration itself. */
  readonly days: number;
  /** Days before the expiration at which the next step takes over; negative after it. */
  readonly until: number;
}

const keyWithSecretRow = z.intersection(z.object({ secretHash: bytes }), apiKeyRow);

export type ApiKeyTransaction = ReturnType<typeof createApiKeyTransaction>;

/** Changes that an operation on API keys can make in one transaction. Changes resolve to the key as it stands afterwards. */
export function createApiKeyTransaction(client: Prisma.TransactionClient) {
  return {
    /** Adds a key, and the business's generation with its first key. */
    insert: (key: NewApiKey): Promise<ApiKey> => insertApiKey(client, key),
    /** Reads a key and keeps others from changing it until the transaction ends. */
    lock: async (businessId: number, id: string): Promise<ApiKey | undefined> => {
      const [key] = await selectApiKeys(client, Prisma.sql`${oneKey(businessId, id)} FOR UPDATE`);
      return key;
    },
    /** The same for the key whose string has one of these hashes. */
    lockByHash: async (hashes: readonly Buffer[]): Promise<ApiKey | undefined> => {
      const condition = Prisma.sql`secret_hash IN (${Prisma.join([...hashes])}) FOR UPDATE`;
      const [key] = await selectApiKeys(client, condition);
      return key;
    },
    /** Changes a key that this transaction has locked. */
    setFields: async (locked: ApiKey, change: SettingsChange): Promise<ApiKey> => {
      await client.apiKey.updateMany({ where: { id: locked.id }, data: change });
      return { ...locked, ...change };
    },
    /** Changes a key that this transaction has locked. */
    setLimits: async (locked: ApiKey, limits: Pick<ApiKey, 'limit' | 'grantedLimit'>): Promise<ApiKey> => {
      const data = { requestLimit: limits.limit, grantedLimit: limits.grantedLimit };
      await client.apiKey.updateMany({ where: { id: locked.id }, data });
      return { ...locked, ...limits };
    },
    /** Freezes a key that this transaction has locked, or lifts its freeze. */
    setFreeze: async (
      { businessId, id }: ApiKey,
      freeze: { readonly personId: string | undefined; readonly reason: string } | undefined,
    ): Promise<ApiKey> => {
      await client.$executeRaw`
        UPDATE api_keys
        SET frozen_at = CASE WHEN ${freeze !== undefined} THEN clock_timestamp() END,
            frozen_by = ${freeze?.personId ?? null}, freeze_reason = ${freeze?.reason ?? null}
        WHERE id = ${id}`;
      return readApiKey(client, businessId, id);
    },
    /** Reads a key with its secret, without a lock. */
    readSecret: async (businessId: number, id: string): Promise<KeyWithSecret | undefined> => {
      const statement = client.$queryRaw`
        SELECT ${apiKeyColumns}, secret_hash AS "secretHash" FROM api_keys WHERE ${oneKey(businessId, id)}`;
      const [row] = await readRows(keyWithSecretRow, statement);
      if (row === undefined) return undefined;
      const { secretHash, ...key } = row;
      return { key, secretHash };
    },
    /**
     * Replaces the secret that was read with `next`, which the person is about to see. Undefined if the key was rotated or
     * deleted, or has expired, since it was read.
     */
    replaceSecret: (read: KeyWithSecret, next: StoredSecret, seenBy: string | undefined) =>
      replaceSecret(client, read, next, seenBy),
    /** Deletes keys of a business. Resolves to those that existed. */
    remove: (businessId: number, ids: readonly string[]): Promise<RemovedKey[]> =>
      removeApiKeys(client, businessId, ids),
    /**
     * Rules for the acting person; undefined for owners and operators. The role cannot change until the transaction ends.
     * @throws AppError permission_denied for a viewer
     */
    lockRights: (actor: Actor, businessId: number): Promise<MemberKeyRules | undefined> =>
      lockRights(client, actor, businessId),
    /** How long new keys may last; undefined where owners require no end. */
    keyLifetime: (businessId: number): Promise<KeyLifetime | undefined> =>
      readKeyLifetime(client, businessId),
    /** Rules of a business, locked against other changes until the transaction ends, even if none are stored yet. */
    lockRules: async (businessId: number): Promise<MemberKeyRules> => {
      await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`member key rules:${businessId}`}, 0))`;
      return (await readRules(client, businessId)) ?? defaultRules;
    },
    /** Replaces the rules that this transaction has locked. */
    setRules: async (businessId: number, rules: ListedRules): Promise<void> => {
      const data = { secretKeys: rules.secretKeys, scopes: [...rules.scopes] };
      const business = { businessId: BigInt(businessId) };
      await client.memberKeyRules.upsert({ where: business, create: { ...business, ...data }, update: data });
    },
    /** Raises the business's credential generation. Resolves to the new one. */
    raiseGeneration: (businessId: number): Promise<number> => raiseGeneration(client, businessId),
    /** Marks steps that keys have reached as announced. Resolves to those that were not announced before. */
    claimNotices: (steps: readonly NoticeStep[], limit: number): Promise<ExpiryNotice[]> =>
      claimNotices(client, steps, limit),
    insertEvent: (event: NewEvent): Promise<void> => insertEvents(client, [event]),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
  };
}

async function replaceSecret(
  client: Prisma.TransactionClient,
  { key, secretHash }: KeyWithSecret,
  next: StoredSecret,
  seenBy: string | undefined,
): Promise<ApiKey | undefined> {
  const held = Prisma.sql`k.id = ${key.id} AND k.secret_hash = ${secretHash}`;
  await retireKeyStrings(client, held, 'rotated');
  const statement = client.$queryRaw`
    UPDATE api_keys
    SET secret_hash = ${next.hash}, last_four = ${next.lastFour}, rotated_at = clock_timestamp(),
        secret_seen_by = ${seenBy ?? null}
    WHERE id = ${key.id} AND secret_hash = ${secretHash}
      AND (expires_at IS NULL OR clock_timestamp() < expires_at)
    RETURNING ${apiKeyColumns}`;
  const [replaced] = await readRows(apiKeyRow, statement);
  return replaced;
}

/** Rules of a business; undefined where its owners have chosen none. */
export async function readRules(
  client: Prisma.TransactionClient,
  businessId: number,
): Promise<MemberKeyRules | undefined> {
  const row = await client.memberKeyRules.findUnique({ where: { businessId: BigInt(businessId) } });
  return row === null ? undefined : rulesOfRow(row);
}

/** Rules of a row. */
export function rulesOfRow({ secretKeys, scopes }: ListedRules): ListedRules {
  return { secretKeys, scopes };
}

async function lockRights(
  client: Prisma.TransactionClient,
  actor: Actor,
  businessId: number,
): Promise<MemberKeyRules | undefined> {
  const role = await lockActingRole(client, actor, businessId);
  if (role !== 'developer') return undefined;
  return (await readRules(client, businessId)) ?? defaultRules;
}

const removedRow = z.object({ id: z.string(), name: z.string(), lastFour: z.string() });

type RemovedKey = z.output<typeof removedRow>;

/** Locks keys in the order of their ids, as all transactions that lock several keys do, so that they never deadlock. */
async function removeApiKeys(
  client: Prisma.TransactionClient,
  businessId: number,
  ids: readonly string[],
): Promise<RemovedKey[]> {
  const which = Prisma.sql`k.business_id = ${BigInt(businessId)} AND k.id = ANY(${[...ids]}::text[])`;
  await retireKeyStrings(client, which, 'deleted');
  const statement = client.$queryRaw`
    DELETE FROM api_keys k WHERE ${which} RETURNING k.id, k.name, k.last_four AS "lastFour"`;
  return readRows(removedRow, statement);
}

/** A step that a key has reached. */
interface ExpiryNotice {
  readonly key: ApiKey;
  /** Of the step. */
  readonly days: number;
}

const noticeRow = z.intersection(z.object({ days: z.int() }), apiKeyRow);

/** Uses hours, because a day of a time zone may have 23. A key that is younger than the begin of a step skips that step. */
async function claimNotices(
  client: Prisma.TransactionClient,
  steps: readonly NoticeStep[],
  limit: number,
): Promise<ExpiryNotice[]> {
  const rows = await readRows(
    noticeRow,
    client.$queryRaw`
      WITH step AS (
        SELECT days, make_interval(hours => 24 * days) AS before, make_interval(hours => 24 * until) AS until
        FROM unnest(${steps.map(({ days }) => days)}::int[], ${steps.map(({ until }) => until)}::int[]) AS s (days, until)
      ), claimed AS (
        INSERT INTO api_key_notices (api_key_id, expires_at, days)
        SELECT k.id, k.expires_at, step.days FROM step JOIN api_keys k
          ON k.expires_at <= now() + step.before AND k.expires_at > now() + step.until
          AND k.created_at < k.expires_at - step.before
        WHERE NOT EXISTS (
          SELECT 1 FROM api_key_notices n
          WHERE n.api_key_id = k.id AND n.expires_at = k.expires_at AND n.days = step.days)
        ORDER BY k.id LIMIT ${limit}
        ON CONFLICT DO NOTHING RETURNING api_key_id, days
      )
      SELECT days, ${apiKeyColumns} FROM claimed JOIN api_keys ON id = api_key_id ORDER BY "expiresAt", id`,
  );
  return rows.map(({ days, ...key }) => ({ days, key }));
}

async function insertApiKey(
  client: Prisma.TransactionClient,
  { businessId, settings, limit, expiresAt, createdBy, secret, ...key }: NewApiKey,
): Promise<ApiKey> {
  const business = { businessId: BigInt(businessId) };
  await client.credentialGeneration.createMany({
    data: { ...business, generation: 1n, propagated: 1n },
    skipDuplicates: true,
  });
  await client.apiKey.create({
    data: {
      ...key,
      ...business,
      ...settings,
      requestLimit: limit,
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      createdBy: createdBy ?? null,
      secretSeenBy: createdBy ?? null,
      secretHash: secret.hash,
      lastFour: secret.lastFour,
    },
    select: { id: true },
  });
  return readApiKey(client, businessId, key.id);
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** Keeps API keys in PostgreSQL. */
export function createApiKeyStore(database: Database, prisma: PrismaClient) {
  return {
    find: (businessId: number, id: string): Promise<ApiKey | undefined> =>
      database.run(async () => {
        const [key] = await selectApiKeys(prisma, oneKey(businessId, id));
        return key;
      }),
    /** Newest first; all of them without `max`. @param after the key before the first one */
    list: (businessId: number, max?: number, after?: Position): Promise<ApiKey[]> =>
      database.run(() => {
        const place = after && afterCursor(after, Prisma.sql`created_at`, Prisma.sql`id`);
        const condition = Prisma.sql`business_id = ${BigInt(businessId)} ${place ?? Prisma.empty}`;
        return selectApiKeys(
          prisma,
          Prisma.sql`${condition} ORDER BY created_at DESC, id LIMIT ${max ?? null}`,
        );
      }),
    search: (businessId: number, filter: KeyFilter, max: number): Promise<ApiKey[]> =>
      database.run(() => selectApiKeys(prisma, Prisma.sql`${matchingKeys(businessId, filter)} LIMIT ${max}`)),
    /** Rules for API keys of developers. */
    memberRules: (businessId: number): Promise<MemberKeyRules> =>
      database.run(async () => (await readRules(prisma, businessId)) ?? defaultRules),
    inTransaction: transactionsOf(database, prisma, createApiKeyTransaction),
  };
}
