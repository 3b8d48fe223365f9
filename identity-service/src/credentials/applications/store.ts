import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { NewEvent } from '../../audit/events/event.ts';
import { insertEvents } from '../../audit/events/store.ts';
import { checkImpartial, type Deciding } from '../../audit/operator-log/impartial-store.ts';
import { insertAuditCopies, insertAuditEvent } from '../../audit/store.ts';
import { Prisma } from '../../generated/client.ts';
import { lockActingRole } from '../../platform/acting-role.ts';
import type { Actor, AuditEvent, SharedAuditEvent } from '../../platform/actor.ts';
import { raiseGenerations } from '../../platform/credential-generations.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { retireTokens } from '../../traffic/retire-store.ts';
import {
  moveBanCursor,
  readBanCursor,
  selectNotedAfter,
  selectNotedBans,
  suspensionStatements,
  suspensionsColumn,
  suspensionsValue,
} from '../suspensions/store.ts';
import type { Application, NewApplication, NewClientSecret } from './application.ts';
import { type EntryLists, noteMakers } from './makers-store.ts';
import { isWebhookEvent, type SettingsChange } from './settings.ts';

/** Columns of `applicationRow`, with live secrets, the number of live Grants and the database's clock. */
const applicationColumns = Prisma.sql`
  a.id, a.client_id AS "clientId", a.business_id AS "businessId", a.name, a.description,
  a.redirect_uris AS "redirectUris", a.scopes, a.ip_whitelist AS "ipWhitelist",
  a.webhooks_enabled AS "webhooksEnabled", a.webhook_events AS "webhookEvents",
  a.allowed_origins AS "allowedOrigins", a.repeat_lost_refresh AS "repeatLostRefresh",
  a.connected_user_limit AS "connectedUserLimit",
  a.created_at AS "createdAt", a.updated_at AS "updatedAt",
  (SELECT count(*) FROM grants g WHERE g.application_id = a.id AND g.ended_at IS NULL) AS "connectedUsers",
  (SELECT coalesce(json_agg(json_build_object(
      'id', s.id, 'lastFour', s.last_four,
      'createdAt', round(extract(epoch FROM s.created_at) * 1000),
      'lastUsedAt', round(extract(epoch FROM s.last_used_at) * 1000)) ORDER BY s.created_at, s.id), '[]')
   FROM client_secrets s WHERE s.application_id = a.id) AS secrets,
  ${suspensionsColumn},
  (SELECT b.person_id FROM sandboxes b WHERE b.business_id = a.business_id) AS "sandboxOf",
  clock_timestamp() AS "readAt"`;

const strings = z.array(z.string());

const clientSecretJson = z.object({
  id: z.string(),
  lastFour: z.string(),
  createdAt: z.int(),
  lastUsedAt: nullable(z.int()),
});

const applicationRow = z.object({
  id: z.string(),
  clientId: z.string(),
  businessId: integer,
  name: z.string(),
  description: z.string(),
  redirectUris: strings,
  scopes: z.array(z.string()),
  ipWhitelist: strings,
  webhooksEnabled: z.boolean(),
  webhookEvents: strings.transform((events) => events.filter(isWebhookEvent)),
  allowedOrigins: strings,
  repeatLostRefresh: z.boolean(),
  connectedUserLimit: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  connectedUsers: integer,
  secrets: z.array(clientSecretJson),
  suspensions: suspensionsValue,
  sandboxOf: nullable(z.string()),
  readAt: timestamp,
}) satisfies z.ZodType<Application>;

/** An application as it was read at `readAt`, milliseconds since 1970 on the database's clock. */
export type ReadApplication = z.output<typeof applicationRow>;

/** Reads applications `a`. @param condition what follows WHERE, order included */
export function selectApplications(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
): Promise<ReadApplication[]> {
  const statement = client.$queryRaw`SELECT ${applicationColumns} FROM applications a WHERE ${condition}`;
  return readRows(applicationRow, statement);
}

/**
 * Reads an application and locks it, its secrets and the number of its Grants until the transaction ends.
 * Transactions that lock several rows do it in this order, so that they never deadlock:
 * memberships, application, Grants by id, codes and tokens, generations by business.
 * @param condition about the application `a`
 */
export async function lockApplication(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
): Promise<ReadApplication | undefined> {
  const locked = await client.$executeRaw`
    SELECT 1 FROM applications a WHERE ${condition} FOR NO KEY UPDATE`;
  if (locked === 0) return undefined;
  // A separate statement, because its snapshot must be newer than the lock for the count of Grants.
  const [application] = await selectApplications(client, condition);
  return application;
}

export type ApplicationTransaction = ReturnType<typeof createApplicationTransaction>;

/** Statements of one transaction. Changes resolve to the application afterwards. */
export function createApplicationTransaction(client: Prisma.TransactionClient) {
  return {
    ...suspensionStatements(client),
    checkImpartial: (deciding: Deciding): Promise<void> => checkImpartial(client, deciding),
    /**
     * The applications of a business, as `lock` does with one, and all their live Grants, as `lockGrants` does.
     * @param ids applications to lock; undefined for all
     */
    lockAll: async (businessId: number, ids?: readonly string[]): Promise<ReadApplication[]> => {
      const among = ids === undefined ? Prisma.empty : Prisma.sql`AND a.id = ANY(${ids}::text[])`;
      const which = Prisma.sql`a.business_id = ${BigInt(businessId)} ${among}`;
      await client.$executeRaw`SELECT 1 FROM applications a WHERE ${which} ORDER BY a.id FOR NO KEY UPDATE`;
      // In the order of ids over all applications, as reports of usage lock Grants.
      await client.$executeRaw`
        SELECT 1 FROM grants WHERE ended_at IS NULL AND application_id IN (SELECT a.id FROM applications a WHERE ${which})
        ORDER BY id FOR UPDATE`;
      return selectApplications(client, Prisma.sql`${which} ORDER BY a.id`);
    },
    /** Counts a business's applications, and keeps others from adding one until the transaction ends. */
    lockCount: async (businessId: number): Promise<number> => {
      await client.$executeRaw`
        SELECT pg_advisory_xact_lock(hashtextextended('applications of ' || ${businessId}::text, 0))`;
      return client.application.count({ where: { businessId: BigInt(businessId) } });
    },
    /** As `lockActingRole`. */
    lockActingRole: (actor: Actor, businessId: number) => lockActingRole(client, actor, businessId),
    /** Records who added new entries to the lists. */
    noteMakers: (actor: Actor, before: EntryLists, after: EntryLists & Pick<Application, 'id'>) =>
      noteMakers(client, actor, before, after),
    insert: (application: NewApplication): Promise<Application> => insertApplication(client, application),
    lock: (businessId: number, id: string): Promise<ReadApplication | undefined> =>
      lockApplication(client, oneApplication(businessId, id)),
    setSettings: async (locked: ReadApplication, change: SettingsChange): Promise<Application> => {
      const data = { ...change, updatedAt: new Date(locked.readAt) };
      await client.application.updateMany({ where: { id: locked.id }, data });
      return { ...locked, ...change, updatedAt: locked.readAt };
    },
    setConnectedUserLimit: async (locked: Application, limit: number): Promise<Application> => {
      await client.application.updateMany({
        where: { id: locked.id },
        data: { connectedUserLimit: limit },
      });
      return { ...locked, connectedUserLimit: limit };
    },
    addSecret: async (locked: Application, secret: NewClientSecret): Promise<Application> => ({
      ...locked,
      secrets: [...locked.secrets, await insertSecret(client, locked.id, secret)],
    }),
    removeSecrets: async (locked: Application, secretIds: readonly string[]): Promise<Application> => {
      await client.clientSecret.deleteMany({
        where: { applicationId: locked.id, id: { in: [...secretIds] } },
      });
      return { ...locked, secrets: locked.secrets.filter(({ id }) => !secretIds.includes(id)) };
    },
    /** Ends Grants for the deletion of their application. */
    endGrants: async (grants: readonly Pick<ConnectedBusiness, 'id'>[]): Promise<void> => {
      const ids = grants.map(({ id }) => id);
      await retireTokens(client, Prisma.sql`g.id = ANY(${ids}::text[])`, 'application_deleted');
      await client.$executeRaw`
        UPDATE grants SET ended_at = clock_timestamp(), end_reason = 'application_deleted'
        WHERE id = ANY(${ids}::text[])`;
    },
    /**
     * Deletes an application whose Grants have all ended, with its secrets. The purge deletes Grants and tokens later, since
     * deleting a month of refresh tokens takes longer than a transaction may.
     */
    remove: async (id: string): Promise<void> => {
      await client.$executeRaw`UPDATE grants SET application_id = NULL WHERE application_id = ${id}`;
      await client.application.deleteMany({ where: { id } });
    },
    /** Reads live Grants, up to `limit` if given, and locks them until the transaction ends. */
    lockGrants: (id: string, limit?: number) => lockGrants(client, id, limit),
    /** Revokes every access token of an application. Call it after `lockGrants`, since issuing tokens locks their Grant. */
    revokeAccessTokens: async (id: string): Promise<void> => {
      await retireTokens(client, Prisma.sql`g.application_id = ${id} AND g.ended_at IS NULL`, 'revoked');
      await client.$executeRaw`
        UPDATE access_tokens t SET revoked_at = clock_timestamp() FROM grants g
        WHERE g.application_id = ${id} AND t.grant_id = g.id AND t.revoked_at IS NULL AND t.expires_at > now()`;
    },
    /** Raises the credential generation of each business. Call it last, since transactions of other apps lock these rows too. */
    raiseGenerations: (connected: readonly Pick<ConnectedBusiness, 'businessId'>[]) =>
      raiseGenerations(
        client,
        connected.map(({ businessId }) => businessId),
      ),
    insertEvents: (events: readonly NewEvent[]): Promise<void> => insertEvents(client, events),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
    /** Records a change of an application for the businesses connected to it, other than its own. */
    auditConnected: (
      event: SharedAuditEvent,
      businessId: number,
      connected: readonly Pick<ConnectedBusiness, 'businessId'>[],
    ): Promise<void> => {
      const ids = connected.map((grant) => grant.businessId).filter((id) => id !== businessId);
      return insertAuditCopies(client, event, ids);
    },
  };
}

const connectedJson = z.object({
  id: z.string(),
  businessId: z.int(),
  scopes: z.array(z.string()),
  createdAt: z.int(),
});

/** A live Grant of an application. */
type ConnectedBusiness = z.output<typeof connectedJson>;

const connectedRow = z.object({ grants: nullable(z.array(connectedJson)) });

async function lockGrants(
  client: Prisma.TransactionClient,
  applicationId: string,
  limit: number | undefined,
): Promise<readonly ConnectedBusiness[]> {
  // As one value: thousands of rows take Prisma longer than the statement.
  const statement = client.$queryRaw`
    WITH live AS (
      SELECT * FROM grants WHERE application_id = ${applicationId} AND ended_at IS NULL
      ORDER BY id LIMIT ${limit ?? null}::bigint FOR UPDATE
    )
    SELECT json_agg(json_build_object(
      'id', id, 'businessId', business_id, 'scopes', scopes,
      'createdAt', round(extract(epoch FROM created_at) * 1000))) AS grants FROM live`;
  const [row] = await readRows(connectedRow, statement);
  return row?.grants ?? [];
}

function oneApplication(businessId: number, id: string): Prisma.Sql {
  return Prisma.sql`a.id = ${id} AND a.business_id = ${BigInt(businessId)}`;
}

async function insertApplication(
  client: Prisma.TransactionClient,
  { id, clientId, businessId, settings, secret }: NewApplication,
): Promise<Application> {
  const { createdAt, updatedAt, connectedUserLimit } = await client.application.create({
    data: { id, clientId, businessId: BigInt(businessId), ...settings },
    select: { createdAt: true, updatedAt: true, connectedUserLimit: true },
  });
  return {
    id,
    clientId,
    businessId,
    ...settings,
    connectedUserLimit,
    connectedUsers: 0,
    secrets: [await insertSecret(client, id, secret)],
    suspensions: [],
    createdAt: createdAt.getTime(),
    updatedAt: updatedAt.getTime(),
  };
}

async function insertSecret(
  client: Prisma.TransactionClient,
  applicationId: string,
  { id, hash, lastFour, createdBy }: NewClientSecret,
) {
  const { createdAt } = await client.clientSecret.create({
    data: { id, applicationId, secretHash: hash, lastFour, createdBy: createdBy ?? null },
    select: { createdAt: true },
  });
  return { id, lastFour, createdAt: createdAt.getTime(), lastUsedAt: undefined };
}

/** Bounds the list so that it fits into one gRPC message. */
const maxOrigins = 5_000;

export type ApplicationStore = ReturnType<typeof createApplicationStore>;

/** Keeps applications in PostgreSQL. */
export function createApplicationStore(database: Database, prisma: PrismaClient) {
  return {
    find: (businessId: number, id: string): Promise<Application | undefined> =>
      database.run(async () => {
        const [application] = await selectApplications(prisma, oneApplication(businessId, id));
        return application;
      }),
    /** Newest first. */
    list: (businessId: number): Promise<Application[]> =>
      database.run(() =>
        selectApplications(
          prisma,
          Prisma.sql`a.business_id = ${BigInt(businessId)} ORDER BY a.created_at DESC, a.id`,
        ),
      ),
    /** Every origin that some application allows, once, at most 5,000: beyond them the youngest are left out. */
    allowedOrigins: (): Promise<string[]> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT origin FROM applications a, unnest(a.allowed_origins) AS origin
          WHERE a.allowed_origins <> '{}'
          GROUP BY origin ORDER BY min(a.created_at), origin LIMIT ${maxOrigins}`;
        const rows = await readRows(z.object({ origin: z.string() }), statement);
        return rows.map(({ origin }) => origin);
      }),
    /** Sequence of the last noted ban of business-service; 0 before the first. */
    banCursor: (): Promise<number> => database.run(() => readBanCursor(prisma)),
    /** Moves the cursor, unless another replica has moved it since it was read. */
    moveBanCursor: (from: number, to: number): Promise<void> =>
      database.run(() => moveBanCursor(prisma, from, to)),
    /** A page of the businesses whose ban is noted, by id. @param after id of the last one before */
    notedAfter: (after: number, limit: number): Promise<number[]> =>
      database.run(() => selectNotedAfter(prisma, after, limit)),
    /** Those of these businesses whose ban is noted. */
    notedBans: (businessIds: readonly number[]): Promise<ReadonlySet<number>> =>
      database.run(() => selectNotedBans(prisma, businessIds)),
    inTransaction: transactionsOf(database, prisma, createApplicationTransaction),
  };
}
