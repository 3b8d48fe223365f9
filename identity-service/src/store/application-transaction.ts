import type { Application } from '../applications/application.ts';
import type { ApplicationTransaction, NewApplication } from '../applications/application-store.ts';
import { Prisma } from '../generated/client.ts';
import { type ApplicationRow, applicationColumns, toApplication } from './application-row.ts';
import { insertAuditEvent } from './audit-store.ts';
import { raiseGenerations } from './generation-store.ts';

/*
 * Whoever locks several rows does it in this order, so that transactions that meet wait for each other and never in a
 * circle: application, Grants by id, codes and tokens, generations by business.
 */

/** What an operation on applications does in one transaction of `client`. */
export function createApplicationTransaction(client: Prisma.TransactionClient): ApplicationTransaction {
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
