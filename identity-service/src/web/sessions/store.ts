import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { hasFactorOfP, type PrismaClient } from '../../platform/storage.ts';
import {
  awaitingSeconds,
  confirmedMinutes,
  hashSessionId,
  noteEverySeconds,
  type SessionContent,
  type SessionLimits,
  type SessionSummary,
} from './session.ts';

const sessionRow = z.object({
  personId: nullable(z.string()),
  data: z.object({
    passwordSetAt: z.int(),
    awaiting: z.string().optional(),
    passwordOnly: z.boolean().optional(),
    passkeyId: z.string().optional(),
  }),
  clientIp: z.string(),
  userAgent: z.string(),
  passwordSetAt: nullable(timestamp),
  hasSecondFactor: z.boolean(),
  lastSeenAt: timestamp,
  now: timestamp,
});

const summaryRow = z
  .object({
    idHash: bytes,
    createdAt: timestamp,
    lastSeenAt: timestamp,
    clientIp: z.string(),
    userAgent: z.string(),
  })
  .transform(({ idHash, ...summary }): SessionSummary => ({ ...summary, reference: idHash.toString('hex') }));

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Keeps sessions in PostgreSQL. Ids are hashed at rest. All limits are on the database's clock. */
export function createSessionStore(database: Database, prisma: PrismaClient, limits: SessionLimits) {
  const { session: sessions } = prisma;
  return {
    /** The session, if it is within its limits and the factors of its login are unchanged. Updates its last use at times. */
    find: (id: string): Promise<SessionContent | undefined> =>
      database.run(() => findSession(prisma, limits, hashSessionId(id))),
    /** Whether a session lives and belongs to this person. Does not count as a use, so listening pages do not extend it. */
    isLive: (id: string, personId: string): Promise<boolean> =>
      database.run(async () => (await readSession(prisma, limits, hashSessionId(id)))?.personId === personId),
    /** Records that the person has just confirmed their identity in the session. */
    confirm: (id: string): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`UPDATE sessions SET confirmed_at = clock_timestamp() WHERE id_hash = ${hashSessionId(id)}`;
      }),
    /** Whether that was within the last ten minutes. */
    isConfirmed: (id: string): Promise<boolean> =>
      database.run(async () => {
        const confirmed = await prisma.$executeRaw`
          SELECT 1 FROM sessions WHERE id_hash = ${hashSessionId(id)}
            AND confirmed_at > clock_timestamp() - make_interval(mins => ${confirmedMinutes})`;
        return confirmed > 0;
      }),
    insert: (id: string, content: SessionContent): Promise<void> =>
      database.run(() => insertSession(prisma, limits, id, content)),
    /** Ends one; nothing happens when there is none. */
    remove: (id: string): Promise<void> =>
      database.run(async () => {
        await sessions.deleteMany({ where: { idHash: hashSessionId(id) } });
      }),
    /** Living sessions of a person, latest use first. */
    list: (personId: string): Promise<SessionSummary[]> =>
      database.run(() => listSessions(prisma, limits, personId)),
    /** Ends one of a person's sessions. Whether there was one. */
    removeOne: (personId: string, reference: string): Promise<boolean> =>
      database.run(async () => {
        const where = { personId, idHash: Buffer.from(reference, 'hex') };
        return (await sessions.deleteMany({ where })).count > 0;
      }),
    /** Ends all of a person's sessions but one. Resolves to how many. */
    removeOthers: (personId: string, keptId: string): Promise<number> =>
      database.run(async () => {
        const where = { personId, idHash: { not: hashSessionId(keptId) } };
        return (await sessions.deleteMany({ where })).count;
      }),
  };
}

async function findSession(
  prisma: PrismaClient,
  limits: SessionLimits,
  idHash: Buffer<ArrayBuffer>,
): Promise<SessionContent | undefined> {
  const row = await readSession(prisma, limits, idHash);
  if (row === undefined) return undefined;
  const { personId, data, clientIp, userAgent, lastSeenAt, now } = row;
  if (lastSeenAt < now - noteEverySeconds(limits) * 1000) {
    await prisma.session.updateMany({ where: { idHash }, data: { lastSeenAt: new Date(now) } });
  }
  return { ...data, personId, clientIp, userAgent };
}

/** Condition of a live session: within its limits, same password and passkey, and no second factor that it did not use. */
async function readSession(
  prisma: PrismaClient,
  limits: SessionLimits,
  idHash: Buffer<ArrayBuffer>,
): Promise<z.output<typeof sessionRow> | undefined> {
  const statement = prisma.$queryRaw`
    SELECT s.person_id AS "personId", s.data, s.client_ip AS "clientIp", s.user_agent AS "userAgent",
           p.password_set_at AS "passwordSetAt", s.last_seen_at AS "lastSeenAt", clock_timestamp() AS now,
           ${hasFactorOfP} AS "hasSecondFactor"
    FROM sessions s LEFT JOIN people p ON p.id = s.person_id
    WHERE s.id_hash = ${idHash} AND clock_timestamp() < s.expires_at
      AND s.last_seen_at > clock_timestamp() - make_interval(secs => ${limits.idleSeconds})
      AND (s.data ->> 'passkeyId' IS NULL OR EXISTS (
        SELECT 1 FROM passkeys k WHERE k.id = s.data ->> 'passkeyId' AND k.person_id = s.person_id))`;
  const [row] = await readRows(sessionRow, statement);
  if (row === undefined) return undefined;
  if (row.personId === undefined) return row;
  const { passwordSetAt, passwordOnly } = row.data;
  if (row.passwordSetAt !== passwordSetAt || (passwordOnly && row.hasSecondFactor)) return undefined;
  return row;
}

async function insertSession(
  prisma: PrismaClient,
  { totalSeconds }: SessionLimits,
  id: string,
  { personId, clientIp, userAgent, passwordSetAt, awaiting, passwordOnly, passkeyId }: SessionContent,
): Promise<void> {
  const lifetime = personId === undefined ? Math.min(awaitingSeconds, totalSeconds) : totalSeconds;
  await prisma.$executeRaw`
    INSERT INTO sessions (id_hash, person_id, data, expires_at, client_ip, user_agent)
    VALUES (${hashSessionId(id)}, ${personId ?? null}, ${JSON.stringify({ passwordSetAt, awaiting, passwordOnly, passkeyId })}::jsonb,
            clock_timestamp() + make_interval(secs => ${lifetime}), ${clientIp}, ${userAgent})`;
}

function listSessions(
  prisma: PrismaClient,
  { idleSeconds }: SessionLimits,
  personId: string,
): Promise<SessionSummary[]> {
  const statement = prisma.$queryRaw`
    SELECT id_hash AS "idHash", created_at AS "createdAt", last_seen_at AS "lastSeenAt", client_ip AS "clientIp",
           user_agent AS "userAgent"
    FROM sessions
    WHERE person_id = ${personId} AND clock_timestamp() < expires_at
      AND last_seen_at > clock_timestamp() - make_interval(secs => ${idleSeconds})
    ORDER BY last_seen_at DESC, id_hash LIMIT 200`;
  return readRows(summaryRow, statement);
}
