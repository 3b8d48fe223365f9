import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { createPersonTransaction } from '../store.ts';

/** Hours for which the link that puts a replaced address back can be used. */
export const undoHours = 72;

/** Minutes for which the link to a new address can be used. */
const changeMinutes = 60;

/** A new address that waits for its link. */
const pendingRow = z.object({ email: z.string(), expiresAt: timestamp });

export type PendingEmail = z.output<typeof pendingRow>;

const undoRow = z.object({
  personId: z.string(),
  /** The replaced address. */
  email: z.string(),
  /** When it was replaced. */
  createdAt: timestamp,
  /** Current password hash of the person. */
  passwordHash: z.string(),
});

type Undo = z.output<typeof undoRow>;

const holderRow = z.object({
  personId: z.string(),
  /** False for a replaced address that can still be restored. */
  isCurrent: z.boolean(),
});

/** The person that an address belongs to. */
type Holder = z.output<typeof holderRow>;

/** A link that puts an address back. */
interface NewUndo {
  readonly id: string;
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly sealedToken: Buffer<ArrayBuffer>;
  readonly personId: string;
  readonly email: string;
}

/** The person who has an address, or who had it before a change that can still be undone. */
async function findHolder(client: Prisma.TransactionClient, email: string): Promise<Holder | undefined> {
  const statement = client.$queryRaw`
    SELECT id AS "personId", true AS "isCurrent" FROM people WHERE email = ${email}
    UNION ALL
    SELECT person_id, false FROM email_undos WHERE email = ${email} AND clock_timestamp() < expires_at
    ORDER BY 2 DESC LIMIT 1`;
  const [holder] = await readRows(holderRow, statement);
  return holder;
}

/**
 * Whether an address is free for a person. Locks the address until the transaction ends; every change to it takes the lock.
 * @param personId undefined for a new person
 */
export async function reserveAddress(
  client: Prisma.TransactionClient,
  email: string,
  personId: string | undefined,
): Promise<boolean> {
  await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`email:${email}`}, 0))`;
  const holder = await findHolder(client, email);
  return holder === undefined || holder.personId === personId;
}

/** Changes that an operation on an email address can make in one transaction. */
function createEmailChangeTransaction(client: Prisma.TransactionClient) {
  return {
    ...createPersonTransaction(client),
    /** Stores a token that can confirm a new address for an hour. Replaces an earlier one. */
    putChange: (personId: string, tokenHash: Buffer<ArrayBuffer>, email: string) =>
      client.$executeRaw`
        INSERT INTO email_changes (person_id, token_hash, email, expires_at)
        VALUES (${personId}, ${tokenHash}, ${email}, clock_timestamp() + make_interval(mins => ${changeMinutes}))
        ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash, email = excluded.email,
          created_at = excluded.created_at, expires_at = excluded.expires_at`,
    removeChange: async (personId: string): Promise<boolean> =>
      (await client.emailChange.deleteMany({ where: { personId } })).count > 0,
    /** Uses up a token. Resolves to the new address; undefined when it cannot be used. */
    takeChange: (personId: string, tokenHashes: readonly Buffer[]): Promise<string | undefined> =>
      takeChange(client, personId, tokenHashes),
    /** Sets a person's address. Resolves to the replaced one; undefined when the new one belongs to another person. */
    setEmail: (personId: string, email: string): Promise<string | undefined> =>
      setEmail(client, personId, email),
    addUndo: (undo: NewUndo) =>
      client.$executeRaw`
        INSERT INTO email_undos (id, token_hash, sealed_token, person_id, email, expires_at)
        VALUES (${undo.id}, ${undo.tokenHash}, ${undo.sealedToken}, ${undo.personId}, ${undo.email},
                clock_timestamp() + make_interval(hours => ${undoHours}))`,
    /** Uses up the link that restores an address, and those of later changes. Undefined when it cannot be used. */
    takeUndo: (tokenHashes: readonly Buffer[]): Promise<Undo | undefined> => takeUndo(client, tokenHashes),
    /** @param since milliseconds since 1970 */
    removeSecondFactorSince: (personId: string, since: number): Promise<void> =>
      removeSecondFactorSince(client, personId, new Date(since)),
  };
}

/** Turns off a second factor that was turned on since, and removes passkeys. */
export async function removeSecondFactorSince(
  client: Prisma.TransactionClient,
  personId: string,
  since: Date,
): Promise<void> {
  await client.passkey.deleteMany({ where: { personId, createdAt: { gte: since } } });
  await createPersonTransaction(client).removeIdleRecoveryCodes(personId);
  const where = { id: personId, totpConfirmedAt: { gte: since } };
  const isLater = (await client.person.count({ where })) > 0;
  if (isLater) await createPersonTransaction(client).removeSecondFactor(personId);
}

async function takeChange(
  client: Prisma.TransactionClient,
  personId: string,
  tokenHashes: readonly Buffer[],
): Promise<string | undefined> {
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
  const statement = client.$queryRaw`
    DELETE FROM email_changes c USING people p
    WHERE p.id = c.person_id AND ${usableBy(personId, tokenHashes)} RETURNING c.email`;
  const [taken] = await readRows(z.object({ email: z.string() }), statement);
  return taken?.email;
}

/** Condition of a change `c` of a person `p`. A password that was set since has ended the link. */
function usableBy(personId: string, tokenHashes: readonly Buffer[]): Prisma.Sql {
  return Prisma.sql`c.person_id = ${personId} AND c.token_hash IN (${Prisma.join([...tokenHashes])}) AND ${isOpen}`;
}

const isOpen = Prisma.sql`clock_timestamp() < c.expires_at AND p.password_set_at <= c.created_at`;

async function setEmail(
  client: Prisma.TransactionClient,
  personId: string,
  email: string,
): Promise<string | undefined> {
  if (!(await reserveAddress(client, email, personId))) return undefined;
  const before = await client.person.findUniqueOrThrow({ where: { id: personId }, select: { email: true } });
  await client.person.update({ where: { id: personId }, data: { email }, select: { id: true } });
  // Ends links that were mailed to the replaced address, so that its mailbox cannot set a new password.
  await client.$executeRaw`
    UPDATE password_resets SET used_at = clock_timestamp() WHERE person_id = ${personId} AND used_at IS NULL`;
  await client.signUp.deleteMany({ where: { email: { in: [before.email, email] } } });
  return before.email;
}

async function takeUndo(
  client: Prisma.TransactionClient,
  tokenHashes: readonly Buffer[],
): Promise<Undo | undefined> {
  const hashes = Prisma.join([...tokenHashes]);
  // Locks the person first, in the same order as a change of password. Otherwise the two could deadlock.
  await client.$executeRaw`
    SELECT 1 FROM people WHERE id = (SELECT person_id FROM email_undos WHERE token_hash IN (${hashes})) FOR UPDATE`;
  const statement = client.$queryRaw`
    DELETE FROM email_undos u USING people p
    WHERE p.id = u.person_id AND u.token_hash IN (${hashes}) AND clock_timestamp() < u.expires_at
    RETURNING u.person_id AS "personId", u.email, u.created_at AS "createdAt", p.password_hash AS "passwordHash"`;
  const [undo] = await readRows(undoRow, statement);
  if (undo === undefined) return undefined;
  const { personId, createdAt } = undo;
  await client.emailUndo.deleteMany({ where: { personId, createdAt: { gte: new Date(createdAt) } } });
  return undo;
}

export type EmailChangeStore = ReturnType<typeof createEmailChangeStore>;

/** Keeps new and replaced email addresses in PostgreSQL. */
export function createEmailChangeStore(database: Database, prisma: PrismaClient) {
  const findPending = async (condition: Prisma.Sql): Promise<PendingEmail | undefined> => {
    const statement = prisma.$queryRaw`
      SELECT c.email, c.expires_at AS "expiresAt" FROM email_changes c JOIN people p ON p.id = c.person_id
      WHERE ${condition}`;
    const [pending] = await readRows(pendingRow, statement);
    return pending;
  };
  return {
    /** The new address of a person that waits for its link. */
    pending: (personId: string): Promise<PendingEmail | undefined> =>
      database.run(() => findPending(Prisma.sql`c.person_id = ${personId} AND ${isOpen}`)),
    /** The new address that a token confirms, for the person who asked. */
    find: (personId: string, tokenHashes: readonly Buffer[]): Promise<PendingEmail | undefined> =>
      database.run(() => findPending(usableBy(personId, tokenHashes))),
    /** The replaced address that a token puts back. */
    findReplaced: (tokenHashes: readonly Buffer[]): Promise<string | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT email FROM email_undos
          WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND clock_timestamp() < expires_at`;
        const [undo] = await readRows(z.object({ email: z.string() }), statement);
        return undo?.email;
      }),
    /** Sealed token of the link that puts an address back; undefined once it was used or has expired. */
    sealedToken: (id: string): Promise<Buffer | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT sealed_token AS "sealedToken" FROM email_undos WHERE id = ${id} AND clock_timestamp() < expires_at`;
        const [undo] = await readRows(z.object({ sealedToken: bytes }), statement);
        return undo?.sealedToken;
      }),
    /** @param email lower case */
    findHolder: (email: string): Promise<Holder | undefined> => database.run(() => findHolder(prisma, email)),
    inTransaction: transactionsOf(database, prisma, createEmailChangeTransaction),
  };
}
