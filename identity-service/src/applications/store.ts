import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { type RaisedGeneration, raiseGenerations } from '../platform/credential-generations.ts';
import { isScope } from '../platform/scope.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { Application, NewApplication, NewClientSecret } from './application.ts';
import { type ApplicationSettings, isWebhookEvent } from './settings.ts';

/** Where applications are kept. */
export interface ApplicationStore {
  find(businessId: number, id: string): Promise<Application | undefined>;
  /** Newest first. */
  list(businessId: number): Promise<Application[]>;
  /** Every origin that some application allows, once, at most 5,000: beyond them the youngest are left out. */
  allowedOrigins(): Promise<string[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: ApplicationTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. Changes of rows that it holds resolve to the application as it stands afterwards. */
interface ApplicationTransaction {
  /** Counts a business's applications, and lets nobody add one until the transaction ends. */
  lockCount(businessId: number): Promise<number>;
  insert(application: NewApplication): Promise<Application>;
  /** Reads an application and keeps others from changing it, its secrets and its Grants' number until the end. */
  lock(businessId: number, id: string): Promise<Application | undefined>;
  setSettings(id: string, settings: ApplicationSettings): Promise<Application>;
  setConnectedUserLimit(id: string, limit: number): Promise<Application>;
  addSecret(id: string, secret: NewClientSecret): Promise<Application>;
  removeSecrets(id: string, secretIds: readonly string[]): Promise<Application>;
  /** Removes the application and everything that hangs off it. */
  remove(id: string): Promise<void>;
  /** The businesses with a live Grant, which are held until the end. Call it before `remove`. */
  connectedBusinesses(id: string): Promise<number[]>;
  /** Raises the credential generation of each. Call it last: it is what transactions meet on. */
  raiseGenerations(businessIds: readonly number[]): Promise<RaisedGeneration[]>;
  audit(event: AuditEvent): Promise<void>;
}

/** What is read of `applications a`, with live secrets and the number of live Grants. */
export const applicationColumns = Prisma.sql`
  a.id, a.client_id, a.business_id, a.name, a.description, a.redirect_uris, a.scopes, a.ip_whitelist,
  a.webhooks_enabled, a.webhook_events, a.allowed_origins, a.connected_user_limit, a.created_at, a.updated_at,
  (SELECT count(*) FROM grants g WHERE g.application_id = a.id AND g.ended_at IS NULL) AS connected_users,
  (SELECT coalesce(json_agg(json_build_object(
      'id', s.id, 'lastFour', s.last_four,
      'createdAt', round(extract(epoch FROM s.created_at) * 1000),
      'lastUsedAt', round(extract(epoch FROM s.last_used_at) * 1000)) ORDER BY s.created_at, s.id), '[]')
   FROM client_secrets s WHERE s.application_id = a.id) AS secrets`;

interface SecretJson {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A row of `applicationColumns`. */
export interface ApplicationRow {
  readonly id: string;
  readonly client_id: string;
  readonly business_id: bigint;
  readonly name: string;
  readonly description: string;
  readonly redirect_uris: string[];
  readonly scopes: string[];
  readonly ip_whitelist: string[];
  readonly webhooks_enabled: boolean;
  readonly webhook_events: string[];
  readonly allowed_origins: string[];
  readonly connected_user_limit: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly connected_users: bigint;
  readonly secrets: readonly SecretJson[];
}

export function toApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    clientId: row.client_id,
    businessId: Number(row.business_id),
    name: row.name,
    description: row.description,
    redirectUris: row.redirect_uris,
    scopes: row.scopes.filter(isScope),
    ipWhitelist: row.ip_whitelist,
    webhooksEnabled: row.webhooks_enabled,
    webhookEvents: row.webhook_events.filter(isWebhookEvent),
    allowedOrigins: row.allowed_origins,
    connectedUserLimit: row.connected_user_limit,
    connectedUsers: Number(row.connected_users),
    secrets: row.secrets.map((secret) => ({ ...secret, lastUsedAt: secret.lastUsedAt ?? undefined })),
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}

/*
 * Whoever locks several rows does it in this order, so that transactions that meet wait for each other and never in a
 * circle: application, Grants by id, codes and tokens, generations by business.
 */

/** What an operation on applications does in one transaction of `client`. */
function createApplicationTransaction(client: Prisma.TransactionClient): ApplicationTransaction {
  const change = async (id: string, assignments: Prisma.Sql) => {
    await client.$executeRaw`UPDATE applications SET ${assignments} WHERE id = ${id}`;
    return read(client, id);
  };
  return {
    lockCount: async (businessId) => {
      await client.$executeRaw`
        SELECT pg_advisory_xact_lock(hashtextextended('applications of ' || ${businessId}::text, 0))`;
      const [row] = await client.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) FROM applications WHERE business_id = ${BigInt(businessId)}`;
      return Number(row?.count);
    },
    insert: (application) => insertApplication(client, application),
    lock: async (businessId, id) => {
      const held = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM applications WHERE id = ${id} AND business_id = ${BigInt(businessId)} FOR NO KEY UPDATE`;
      // A statement of its own: what is counted beside a row must be as new as the lock.
      return held.length === 0 ? undefined : read(client, id);
    },
    setSettings: (id, settings) =>
      change(
        id,
        Prisma.sql`
          name = ${settings.name}, description = ${settings.description},
          redirect_uris = ${[...settings.redirectUris]}, scopes = ${[...settings.scopes]},
          ip_whitelist = ${[...settings.ipWhitelist]}, webhooks_enabled = ${settings.webhooksEnabled},
          webhook_events = ${[...settings.webhookEvents]}, allowed_origins = ${[...settings.allowedOrigins]},
          updated_at = clock_timestamp()`,
      ),
    setConnectedUserLimit: (id, limit) => change(id, Prisma.sql`connected_user_limit = ${limit}`),
    addSecret: async (id, secret) => {
      await insertSecret(client, id, secret);
      return read(client, id);
    },
    removeSecrets: async (id, secretIds) => {
      await client.$executeRaw`
        DELETE FROM client_secrets WHERE application_id = ${id} AND id = ANY(${[...secretIds]}::text[])`;
      return read(client, id);
    },
    remove: async (id) => {
      await client.$executeRaw`DELETE FROM applications WHERE id = ${id}`;
    },
    connectedBusinesses: async (id) => {
      const rows = await client.$queryRaw<{ business_id: bigint }[]>`
        SELECT business_id FROM grants WHERE application_id = ${id} AND ended_at IS NULL
        ORDER BY id FOR UPDATE`;
      return rows.map((row) => Number(row.business_id));
    },
    raiseGenerations: (businessIds) => raiseGenerations(client, businessIds),
    audit: (event) => insertAuditEvent(client, event),
  };
}

/** Reads an application that this transaction holds. */
async function read(client: Prisma.TransactionClient, id: string): Promise<Application> {
  const [row] = await client.$queryRaw<ApplicationRow[]>`
    SELECT ${applicationColumns} FROM applications a WHERE a.id = ${id}`;
  if (row === undefined) throw new Error('an application that this transaction holds is gone');
  return toApplication(row);
}

async function insertApplication(
  client: Prisma.TransactionClient,
  { id, clientId, businessId, settings, secret }: NewApplication,
): Promise<Application> {
  await client.$executeRaw`
    INSERT INTO applications
      (id, client_id, business_id, name, description, redirect_uris, scopes, ip_whitelist, webhooks_enabled,
       webhook_events, allowed_origins)
    VALUES
      (${id}, ${clientId}, ${BigInt(businessId)}, ${settings.name}, ${settings.description},
       ${[...settings.redirectUris]}, ${[...settings.scopes]}, ${[...settings.ipWhitelist]},
       ${settings.webhooksEnabled}, ${[...settings.webhookEvents]}, ${[...settings.allowedOrigins]})`;
  await insertSecret(client, id, secret);
  return read(client, id);
}

async function insertSecret(
  client: Prisma.TransactionClient,
  applicationId: string,
  { id, hash, lastFour }: NewApplication['secret'],
): Promise<void> {
  await client.$executeRaw`
    INSERT INTO client_secrets (id, application_id, secret_hash, last_four)
    VALUES (${id}, ${applicationId}, ${hash}, ${lastFour})`;
}

/** Bounds the list so that it fits into one gRPC message. */
const maxOrigins = 5_000;

/** Applications in PostgreSQL. */
export function createApplicationStore(database: Database, prisma: PrismaClient): ApplicationStore {
  return {
    find: (businessId, id) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a
          WHERE a.id = ${id} AND a.business_id = ${BigInt(businessId)}`;
        return row && toApplication(row);
      }),
    list: (businessId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<ApplicationRow[]>`
          SELECT ${applicationColumns} FROM applications a WHERE a.business_id = ${BigInt(businessId)}
          ORDER BY a.created_at DESC, a.id`;
        return rows.map(toApplication);
      }),
    allowedOrigins: () =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<{ origin: string }[]>`
          SELECT origin FROM applications a, unnest(a.allowed_origins) AS origin
          WHERE a.allowed_origins <> '{}'
          GROUP BY origin ORDER BY min(a.created_at), origin LIMIT ${maxOrigins}`;
        return rows.map(({ origin }) => origin);
      }),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createApplicationTransaction(client)))),
  };
}
