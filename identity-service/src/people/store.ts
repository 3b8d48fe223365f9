import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { Actor, JsonObject } from '../platform/actor.ts';
import type { Membership } from '../platform/membership.ts';
import { roleColumn } from '../platform/role.ts';
import { hasFactorOfP, type PrismaClient, requiresFactorOfM, transactionsOf } from '../platform/storage.ts';
import type { Person, PersonWithSecrets } from './person.ts';
import { confirmOffer, findOffer, putOffer, type TotpOffer } from './totp-offer-store.ts';

/** Audit record of an act of a person. */
interface PersonAct {
  readonly actor: Actor;
  /** The business of the act; absent for every business of the person, 0 for none. */
  readonly businessId?: number;
  /** Action, `subject.verb`. */
  readonly action: string;
  readonly details?: JsonObject;
  /** As in `AuditEvent`. */
  readonly noticeDetails?: JsonObject;
}

export type PersonTransaction = ReturnType<typeof createPersonTransaction>;

/** Changes that an operation on a person can make in one transaction. */
export function createPersonTransaction(client: Prisma.TransactionClient) {
  const { person: people } = client;
  return {
    /** Changes the name. False if the person already has it. */
    rename: async (personId: string, name: string): Promise<boolean> =>
      (await people.updateMany({ where: { id: personId, name: { not: name } }, data: { name } })).count > 0,
    /**
     * Whether a person still has the password whose hash was read. Locks the password until the transaction ends, but allows
     * new references to the person: otherwise two owners whose changes notify each other could deadlock.
     */
    lockPassword: async (personId: string, read: string): Promise<boolean> => {
      const locked = await client.$executeRaw`
        SELECT 1 FROM people WHERE id = ${personId} AND password_hash = ${read} FOR NO KEY UPDATE`;
      return locked > 0;
    },
    /**
     * Sets a new password in place of the one whose hash was read. Ends the person's sessions and the links that were
     * mailed before. Resolves to when it was set; undefined when another change came first.
     */
    replacePassword: (personId: string, read: string, next: string): Promise<number | undefined> =>
      replacePassword(client, personId, read, next),
    /**
     * Lets a reset token be used for half an hour. False when one was added in the last `pauseSeconds`, or the person has
     * another address.
     */
    addReset: (reset: Reset): Promise<boolean> => addReset(client, reset),
    /** Uses up a reset token. False when it cannot be used. */
    useReset: (tokenHashes: readonly Buffer[]): Promise<boolean> => useReset(client, tokenHashes),
    /** As `putOffer`. */
    putOffer: (offer: TotpOffer): Promise<boolean> => putOffer(client, offer),
    /** As `confirmOffer`. */
    confirmOffer: (offer: TotpOffer, step: number): Promise<boolean> => confirmOffer(client, offer, step),
    /** Turns off the authenticator app. */
    removeSecondFactor: async (personId: string): Promise<void> => {
      await people.updateMany({
        where: { id: personId },
        data: { totpSecret: null, totpConfirmedAt: null, totpLastStep: null },
      });
      await removeIdleRecoveryCodes(client, personId);
    },
    /** Whether the authenticator app is on. */
    hasApp: async (personId: string): Promise<boolean> =>
      (await people.count({ where: { id: personId, totpConfirmedAt: { not: null } } })) > 0,
    /** Deletes the recovery codes of a person without a second factor. */
    removeIdleRecoveryCodes: (personId: string): Promise<void> => removeIdleRecoveryCodes(client, personId),
    /** Marks a time step as used. False when it, or a later one, was used already. */
    takeStep: async (personId: string, step: number): Promise<boolean> => {
      const totpLastStep = BigInt(step);
      const { count } = await people.updateMany({
        where: {
          id: personId,
          totpConfirmedAt: { not: null },
          OR: [{ totpLastStep: null }, { totpLastStep: { lt: totpLastStep } }],
        },
        data: { totpLastStep },
      });
      return count > 0;
    },
    replaceRecoveryCodes: (personId: string, hashes: readonly Buffer<ArrayBuffer>[]): Promise<void> =>
      replaceRecoveryCodes(client, personId, hashes),
    /** Uses up a recovery code. False when there is no such code left. */
    takeRecoveryCode: async (personId: string, candidates: readonly Buffer[]): Promise<boolean> => {
      // Locks the person first, in the same order as replacing or deleting the codes.
      await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR NO KEY UPDATE`;
      const changed = await client.$executeRaw`
        UPDATE recovery_codes SET used_at = clock_timestamp()
        WHERE person_id = ${personId} AND code_hash IN (${Prisma.join([...candidates])}) AND used_at IS NULL`;
      return changed > 0;
    },
    audit: (personId: string, act: PersonAct): Promise<void> => auditPerson(client, personId, act),
  };
}

async function replacePassword(
  client: Prisma.TransactionClient,
  personId: string,
  read: string,
  next: string,
): Promise<number | undefined> {
  const statement = client.$queryRaw`
    UPDATE people SET password_hash = ${next}, password_set_at = clock_timestamp()
    WHERE id = ${personId} AND password_hash = ${read} RETURNING password_set_at AS "passwordSetAt"`;
  const [row] = await readRows(z.object({ passwordSetAt: timestamp }), statement);
  if (row === undefined) return undefined;
  await client.session.deleteMany({ where: { personId } });
  await client.$executeRaw`
    UPDATE password_resets SET used_at = clock_timestamp() WHERE person_id = ${personId} AND used_at IS NULL`;
  await client.$executeRaw`
    DELETE FROM sign_ups WHERE email = (SELECT email FROM people WHERE id = ${personId})`;
  return row.passwordSetAt;
}

const resetSeconds = 30 * 60;

/** A requested link for a new password. */
interface Reset {
  readonly personId: string;
  /** Address for the link. No link is added if the person has a different address by now. */
  readonly email: string;
  readonly tokenHash: Uint8Array;
  readonly pauseSeconds: number;
}

async function addReset(
  client: Prisma.TransactionClient,
  { personId, email, tokenHash, pauseSeconds }: Reset,
): Promise<boolean> {
  // Serializes requests per person, so that two concurrent ones add one link, and excludes a change of the address.
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
  const inserted = await client.$executeRaw`
    INSERT INTO password_resets (token_hash, person_id, expires_at)
    SELECT ${tokenHash}, id, clock_timestamp() + make_interval(secs => ${resetSeconds})
    FROM people WHERE id = ${personId} AND email = ${email} AND NOT EXISTS (
      SELECT 1 FROM password_resets WHERE person_id = ${personId} AND used_at IS NULL AND token_hash <> ${tokenHash}
        AND expires_at > clock_timestamp() + make_interval(secs => ${resetSeconds - pauseSeconds}))
    ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at`;
  return inserted > 0;
}

async function useReset(client: Prisma.TransactionClient, tokenHashes: readonly Buffer[]): Promise<boolean> {
  // Locks the person first, in the same order as a change of password. Otherwise the two could deadlock.
  await client.$executeRaw`
    SELECT 1 FROM people WHERE id = (
      SELECT person_id FROM password_resets WHERE token_hash IN (${Prisma.join([...tokenHashes])})) FOR UPDATE`;
  const used = await client.$executeRaw`
    UPDATE password_resets SET used_at = clock_timestamp()
    WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND used_at IS NULL AND clock_timestamp() < expires_at`;
  return used > 0;
}

async function replaceRecoveryCodes(
  client: Prisma.TransactionClient,
  personId: string,
  hashes: readonly Buffer<ArrayBuffer>[],
): Promise<void> {
  // Serializes concurrent replacements, so that only one set of codes remains.
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR NO KEY UPDATE`;
  await client.recoveryCode.deleteMany({ where: { personId } });
  await client.recoveryCode.createMany({ data: hashes.map((codeHash) => ({ personId, codeHash })) });
}

async function removeIdleRecoveryCodes(client: Prisma.TransactionClient, personId: string): Promise<void> {
  const person = { totpConfirmedAt: null, passkeys: { none: {} } };
  await client.recoveryCode.deleteMany({ where: { personId, person } });
}

/** Records an act under every business of the person, whose owners see what happens to accounts with access to their data. */
async function auditPerson(
  client: Prisma.TransactionClient,
  personId: string,
  { actor, businessId: about, action, details = {}, noticeDetails = {} }: PersonAct,
): Promise<void> {
  if (about !== undefined) {
    const event = { actor, businessId: about, action, subjectId: String(about), details };
    return insertAuditEvent(client, event);
  }
  const memberships = await client.membership.findMany({
    where: { personId },
    select: { businessId: true },
    orderBy: { businessId: 'asc' },
  });
  const businessIds = memberships.length === 0 ? [0] : memberships.map((each) => Number(each.businessId));
  for (const businessId of businessIds) {
    await insertAuditEvent(client, {
      actor,
      businessId,
      action,
      subjectId: personId,
      details,
      noticeDetails,
    });
  }
}

const personRow = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    passwordHash: z.string(),
    passwordSetAt: timestamp,
    totpSecret: nullable(bytes),
    totpConfirmedAt: nullable(timestamp),
    recoveryCodes: z.int(),
    passkeys: z.int(),
  })
  .transform(({ totpConfirmedAt, ...person }): PersonWithSecrets => {
    return { ...person, secondFactor: totpConfirmedAt === undefined ? 'off' : 'on' };
  });

/** Reads one person `p`. @param condition what follows WHERE */
async function findPerson(
  client: PrismaClient,
  condition: Prisma.Sql,
): Promise<PersonWithSecrets | undefined> {
  const statement = client.$queryRaw`
    SELECT p.id, p.email, p.name, p.password_hash AS "passwordHash", p.password_set_at AS "passwordSetAt",
           p.totp_secret AS "totpSecret", p.totp_confirmed_at AS "totpConfirmedAt",
           (SELECT count(*)::int FROM recovery_codes r
            WHERE r.person_id = p.id AND r.used_at IS NULL) AS "recoveryCodes",
           (SELECT count(*)::int FROM passkeys k WHERE k.person_id = p.id) AS passkeys
    FROM people p WHERE ${condition}`;
  const [person] = await readRows(personRow, statement);
  return person;
}

const membershipRow = z.object({
  businessId: integer,
  role: roleColumn,
  requiresSecondFactor: z.boolean(),
  lacksSecondFactor: z.boolean(),
  sandboxOf: nullable(z.string()),
}) satisfies z.ZodType<Membership>;

/** Reads memberships `m` with the current state of the second factor. @param condition what follows WHERE */
export function selectMemberships(
  client: Prisma.TransactionClient,
  condition: Prisma.Sql,
): Promise<Membership[]> {
  const statement = client.$queryRaw`
    SELECT m.business_id AS "businessId", m.role::text, ${requiresFactorOfM} AS "requiresSecondFactor",
           ${requiresFactorOfM} AND NOT ${hasFactorOfP} AS "lacksSecondFactor",
           b.person_id AS "sandboxOf"
    FROM memberships m JOIN people p ON p.id = m.person_id LEFT JOIN sandboxes b ON b.business_id = m.business_id
    WHERE ${condition}`;
  return readRows(membershipRow, statement);
}

export type PersonStore = ReturnType<typeof createPersonStore>;

/** Keeps people in PostgreSQL. */
export function createPersonStore(database: Database, prisma: PrismaClient) {
  const find = (condition: Prisma.Sql) => database.run(() => findPerson(prisma, condition));
  return {
    find: (personId: string): Promise<Person | undefined> => find(Prisma.sql`p.id = ${personId}`),
    findWithSecrets: (personId: string): Promise<PersonWithSecrets | undefined> =>
      find(Prisma.sql`p.id = ${personId}`),
    /** @param email lower case */
    findByEmail: (email: string): Promise<PersonWithSecrets | undefined> =>
      find(Prisma.sql`p.email = ${email}`),
    /** The person that a reset token belongs to, while it may be used. */
    findByReset: (tokenHashes: readonly Buffer[]): Promise<PersonWithSecrets | undefined> =>
      find(Prisma.sql`p.id = (
        SELECT person_id FROM password_resets
        WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND used_at IS NULL
          AND clock_timestamp() < expires_at)`),
    /** Ends the pause after a link that may not have arrived; it works as long as before, less the pause. */
    endResetPause: ({ tokenHash, pauseSeconds }: Pick<Reset, 'tokenHash' | 'pauseSeconds'>): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE password_resets SET expires_at = expires_at - make_interval(secs => ${pauseSeconds})
          WHERE token_hash = ${tokenHash}`;
      }),
    /** Businesses of a person, oldest membership first. */
    memberships: (personId: string): Promise<Membership[]> =>
      database.run(() =>
        selectMemberships(prisma, Prisma.sql`m.person_id = ${personId} ORDER BY m.created_at, m.business_id`),
      ),
    /** As `findOffer`. */
    findOffer: (session: Omit<TotpOffer, 'sealedSecret'>): Promise<Buffer<ArrayBuffer> | undefined> =>
      database.run(() => findOffer(prisma, session)),
    inTransaction: transactionsOf(database, prisma, createPersonTransaction),
  };
}
