import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvents } from '../../audit/store.ts';
import type { ApiKey, StoredSecret } from '../../credentials/api-keys/api-key.ts';
import { defaultRules } from '../../credentials/api-keys/member-rules.ts';
import { selectApiKeys } from '../../credentials/api-keys/row-store.ts';
import { readRules } from '../../credentials/api-keys/store.ts';
import { createApplicationTransaction } from '../../credentials/applications/store.ts';
import { Prisma } from '../../generated/client.ts';
import type { AuditEvent } from '../../platform/actor.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { retireKeyStrings } from '../../traffic/retire-store.ts';
import { isBeyondDevelopers, type Leftover, type Loss } from './leftover.ts';
import { createTeamTransaction } from './store.ts';

const entryRow = z.object({
  kind: z.enum(['client_secret', 'redirect_uri', 'ip_address', 'allowed_origin']),
  /** Identifier of a client secret, or the entry itself. */
  value: z.string(),
  label: z.string(),
  applicationId: z.string(),
  applicationName: z.string(),
  madeAt: timestamp,
  lastUsedAt: nullable(timestamp),
  others: integer,
});

/** A client secret, redirect URI, address or origin that a person made. */
export type MadeEntry = z.output<typeof entryRow>;

/** Selects entries that a person made and that the application still has. */
function selectEntries(
  client: Prisma.TransactionClient,
  businessId: number,
  personId: string,
): Promise<MadeEntry[]> {
  return readRows(
    entryRow,
    client.$queryRaw`
      WITH made AS (
        SELECT 'client_secret' AS kind, s.id AS value, '…' || s.last_four AS label, s.application_id, s.created_at AS at, s.last_used_at,
               (SELECT count(*) FROM client_secrets o WHERE o.application_id = s.application_id) AS present
        FROM client_secrets s JOIN applications a ON a.id = s.application_id
        WHERE a.business_id = ${BigInt(businessId)} AND s.created_by = ${personId}
        UNION ALL
        SELECT l.kind, m.entry, m.entry, m.application_id, m.added_at, NULL, cardinality(l.entries)
        FROM application_entry_makers m JOIN applications a ON a.id = m.application_id
        JOIN LATERAL (VALUES ('redirectUris', 'redirect_uri', a.redirect_uris), ('ipWhitelist', 'ip_address', a.ip_whitelist),
          ('allowedOrigins', 'allowed_origin', a.allowed_origins)) AS l (list, kind, entries) ON l.list = m.list
        WHERE a.business_id = ${BigInt(businessId)} AND m.person_id = ${personId} AND m.entry = ANY (l.entries)
      )
      SELECT kind, value, label, a.id AS "applicationId", a.name AS "applicationName", at AS "madeAt", made.last_used_at AS "lastUsedAt",
             present - count(*) OVER (PARTITION BY a.id, kind) AS others
      FROM made JOIN applications a ON a.id = made.application_id ORDER BY a.name, a.id, kind, at, value`,
  );
}

/** Keys and entries of a business that a person made, or has seen. */
export interface Held {
  /** Active keys whose present string the person has seen. */
  readonly keys: readonly ApiKey[];
  readonly entries: readonly MadeEntry[];
}

/** @param loss what of it counts */
async function readHeld(
  client: Prisma.TransactionClient,
  businessId: number,
  personId: string,
  loss: Loss,
): Promise<Held> {
  if (loss === 'nothing') return { keys: [], entries: [] };
  const seen = await selectApiKeys(
    client,
    Prisma.sql`business_id = ${BigInt(businessId)} AND secret_seen_by = ${personId} ORDER BY created_at DESC, id`,
  );
  const keys = seen.filter(({ status }) => status === 'active');
  if (loss === 'all') return { keys, entries: await selectEntries(client, businessId, personId) };
  const rules = (await readRules(client, businessId)) ?? defaultRules;
  return { keys: keys.filter((key) => isBeyondDevelopers(key, rules)), entries: [] };
}

export const keyReference = ({ id }: Pick<ApiKey, 'id'>): string => `api_key:${id}`;

export const entryReference = ({
  kind,
  applicationId,
  value,
}: Pick<MadeEntry, 'kind' | 'applicationId' | 'value'>): string => `${kind}:${applicationId}:${value}`;

/** Keys and entries as leftovers. */
export function leftoversOf({ keys, entries }: Held): Leftover[] {
  return [
    ...keys.map((key) => ({
      id: keyReference(key),
      kind: 'api_key' as const,
      label: `${key.name} (…${key.lastFour})`,
      application: undefined,
      madeAt: key.rotatedAt ?? key.createdAt,
      lastUsedAt: key.lastUsedAt,
      others: 0,
    })),
    ...entries.map((entry) => ({
      id: entryReference(entry),
      kind: entry.kind,
      label: entry.label,
      application: { id: entry.applicationId, name: entry.applicationName },
      madeAt: entry.madeAt,
      lastUsedAt: entry.lastUsedAt,
      others: entry.others,
    })),
  ];
}

export type DepartureTransaction = ReturnType<typeof createDepartureTransaction>;

/** Changes that remove the rights of a member and what the member made. */
function createDepartureTransaction(client: Prisma.TransactionClient) {
  return {
    team: createTeamTransaction(client),
    applications: createApplicationTransaction(client),
    held: (businessId: number, personId: string, loss: Loss): Promise<Held> =>
      readHeld(client, businessId, personId, loss),
    endStrings: (businessId: number, personId: string, next: readonly NextString[]): Promise<EndedString[]> =>
      endStrings(client, businessId, personId, next),
    audits: (events: readonly AuditEvent[]): Promise<void> => insertAuditEvents(client, events),
  };
}

/** A string that a key gets. */
export type NextString = StoredSecret & Pick<ApiKey, 'id'>;

const endedRow = z.object({ id: z.string(), name: z.string(), from: z.string(), to: z.string() });

/** A key whose string has ended: its last four characters before and after. */
type EndedString = z.output<typeof endedRow>;

/** Replaces strings that a person has seen; a key that was deleted, or rotated for another person, meanwhile is left out. */
async function endStrings(
  client: Prisma.TransactionClient,
  businessId: number,
  personId: string,
  next: readonly NextString[],
): Promise<EndedString[]> {
  const ids = next.map(({ id }) => id);
  const hashes = next.map(({ hash }) => hash.toString('hex'));
  const ends = next.map(({ lastFour }) => lastFour);
  const which = Prisma.sql`
    k.id = ANY(${ids}::text[]) AND k.business_id = ${BigInt(businessId)} AND k.secret_seen_by = ${personId}`;
  await retireKeyStrings(client, which, 'rotated');
  return readRows(
    endedRow,
    client.$queryRaw`
      WITH next AS (
        SELECT * FROM unnest(${ids}::text[], ${hashes}::text[], ${ends}::text[]) AS n (id, hash, last_four)
      ), seen AS (
        SELECT k.id, k.name, k.last_four FROM api_keys k WHERE ${which}
      )
      UPDATE api_keys k SET secret_hash = decode(next.hash, 'hex'), last_four = next.last_four,
                            rotated_at = clock_timestamp(), secret_seen_by = NULL
      FROM seen JOIN next ON next.id = seen.id WHERE k.id = seen.id
      RETURNING k.id, seen.name, seen.last_four AS "from", k.last_four AS "to"`,
  );
}

export type LeftoverStore = ReturnType<typeof createLeftoverStore>;

/** Finds what people would leave behind in PostgreSQL. */
export function createLeftoverStore(database: Database, prisma: PrismaClient) {
  return {
    held: (businessId: number, personId: string, loss: Loss): Promise<Held> =>
      database.run(() => readHeld(prisma, businessId, personId, loss)),
    inTransaction: transactionsOf(database, prisma, createDepartureTransaction),
  };
}
