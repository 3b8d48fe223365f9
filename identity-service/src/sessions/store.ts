import type { Database } from '@platform/service-kit/database/database.ts';
import { z } from 'zod';
import type { PrismaClient } from '../platform/storage.ts';
import {
  awaitingSeconds,
  hashSessionId,
  noteEverySeconds,
  type SessionContent,
  type SessionLimits,
  type SessionStore,
  type SessionSummary,
} from './session.ts';

interface SessionRow {
  readonly person_id: string | null;
  readonly data: unknown;
  readonly client_ip: string;
  readonly user_agent: string;
  readonly password_set_at: Date | null;
  readonly note_due: boolean;
}

interface SummaryRow {
  readonly id_hash: Uint8Array;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly client_ip: string;
  readonly user_agent: string;
}

const storedData = z.object({ passwordSetAt: z.int(), awaiting: z.string().optional() });

/** Sessions in PostgreSQL. */
export function createSessionStore(
  database: Database,
  prisma: PrismaClient,
  limits: SessionLimits,
): SessionStore {
  return {
    find: (id) => database.run(() => findSession(prisma, limits, hashSessionId(id))),
    insert: (id, content) => database.run(() => insertSession(prisma, limits, id, content)),
    remove: (id) =>
      database.run(async () => {
        await prisma.$executeRaw`DELETE FROM sessions WHERE id_hash = ${hashSessionId(id)}`;
      }),
    list: (personId) =>
      database.run(async () => {
        const rows = await prisma.$queryRaw<SummaryRow[]>`
          SELECT id_hash, created_at, last_seen_at, client_ip, user_agent FROM sessions
          WHERE person_id = ${personId} AND clock_timestamp() < expires_at
            AND last_seen_at > clock_timestamp() - make_interval(secs => ${limits.idleSeconds})
          ORDER BY last_seen_at DESC, id_hash LIMIT 200`;
        return rows.map(toSummary);
      }),
    removeOne: (personId, reference) =>
      database.run(async () => {
        const deleted = await prisma.$executeRaw`
          DELETE FROM sessions WHERE person_id = ${personId} AND id_hash = ${Buffer.from(reference, 'hex')}`;
        return deleted > 0;
      }),
    removeOthers: (personId, keptId) =>
      database.run(
        () => prisma.$executeRaw`
          DELETE FROM sessions WHERE person_id = ${personId} AND id_hash <> ${hashSessionId(keptId)}`,
      ),
  };
}

async function findSession(
  prisma: PrismaClient,
  limits: SessionLimits,
  hash: Buffer,
): Promise<SessionContent | undefined> {
  const [row] = await prisma.$queryRaw<SessionRow[]>`
    SELECT s.person_id, s.data, s.client_ip, s.user_agent, p.password_set_at,
           s.last_seen_at < clock_timestamp() - make_interval(secs => ${noteEverySeconds(limits)}) AS note_due
    FROM sessions s LEFT JOIN people p ON p.id = s.person_id
    WHERE s.id_hash = ${hash} AND clock_timestamp() < s.expires_at
      AND s.last_seen_at > clock_timestamp() - make_interval(secs => ${limits.idleSeconds})`;
  if (row === undefined) return undefined;
  const data = storedData.parse(row.data);
  if (row.person_id !== null && row.password_set_at?.getTime() !== data.passwordSetAt) return undefined;
  if (row.note_due) {
    await prisma.$executeRaw`UPDATE sessions SET last_seen_at = clock_timestamp() WHERE id_hash = ${hash}`;
  }
  return {
    ...data,
    personId: row.person_id ?? undefined,
    clientIp: row.client_ip,
    userAgent: row.user_agent,
  };
}

async function insertSession(
  prisma: PrismaClient,
  { totalSeconds }: SessionLimits,
  id: string,
  { personId, clientIp, userAgent, passwordSetAt, awaiting }: SessionContent,
): Promise<void> {
  const lifetime = personId === undefined ? Math.min(awaitingSeconds, totalSeconds) : totalSeconds;
  await prisma.$executeRaw`
    INSERT INTO sessions (id_hash, person_id, data, expires_at, client_ip, user_agent)
    VALUES (${hashSessionId(id)}, ${personId ?? null}, ${JSON.stringify({ passwordSetAt, awaiting })}::jsonb,
            clock_timestamp() + make_interval(secs => ${lifetime}), ${clientIp}, ${userAgent})`;
}

function toSummary(row: SummaryRow): SessionSummary {
  return {
    reference: Buffer.from(row.id_hash).toString('hex'),
    createdAt: row.created_at.getTime(),
    lastSeenAt: row.last_seen_at.getTime(),
    clientIp: row.client_ip,
    userAgent: row.user_agent,
  };
}
