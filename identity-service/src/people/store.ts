import type { Database } from '@platform/service-kit/database/database.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { Prisma } from '../generated/client.ts';
import type { Actor } from '../platform/actor.ts';
import type { PrismaClient } from '../platform/storage.ts';
import type { Membership, Person, PersonWithSecrets, SecondFactorState } from './person.ts';

/** Where people are kept. */
export interface PersonStore {
  find(personId: string): Promise<Person | undefined>;
  findWithSecrets(personId: string): Promise<PersonWithSecrets | undefined>;
  /** @param email lower case */
  findByEmail(email: string): Promise<PersonWithSecrets | undefined>;
  /** Businesses of a person, oldest membership first. */
  memberships(personId: string): Promise<Membership[]>;
  /** Whom a reset token belongs to, while it may be used. */
  findByReset(tokenHashes: readonly Buffer[]): Promise<PersonWithSecrets | undefined>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: PersonTransaction) => Promise<T>): Promise<T>;
}

/** What is recorded of an act of a person. */
interface PersonAct {
  readonly actor: Actor;
  /** The business that it is about; absent for all of the person's, or 0 when it has none. */
  readonly businessId?: number;
  /** What happened, `subject.verb`. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What one transaction can do. */
export interface PersonTransaction {
  /**
   * Sets a new password in place of the one whose hash was read, and ends the person's sessions. When it was set;
   * undefined when somebody else was faster.
   */
  replacePassword(personId: string, read: string, next: string): Promise<number | undefined>;
  /** Lets a reset token be used for half an hour. */
  addReset(personId: string, tokenHash: Buffer): Promise<void>;
  /** Uses up a reset token and all others of its person. False when it cannot be used. */
  useReset(tokenHashes: readonly Buffer[]): Promise<boolean>;
  /** Puts a secret in the place of the one that was offered before. False when the second factor is on. */
  offerSecondFactor(personId: string, sealedSecret: Buffer): Promise<boolean>;
  /** Turns the offered second factor on with its first code. False when it is on already. */
  confirmSecondFactor(personId: string, step: number): Promise<boolean>;
  removeSecondFactor(personId: string): Promise<void>;
  /** Marks a time step as used. False when it, or a later one, was used already. */
  takeStep(personId: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(personId: string, hashes: readonly Buffer[]): Promise<void>;
  /** Uses up a recovery code. False when there is no such code left. */
  takeRecoveryCode(personId: string, candidates: readonly Buffer[]): Promise<boolean>;
  audit(personId: string, act: PersonAct): Promise<void>;
}

/** What an operation on a person does in one transaction of `client`. */
function createPersonTransaction(client: Prisma.TransactionClient): PersonTransaction {
  return {
    replacePassword: (personId, read, next) => replacePassword(client, personId, read, next),
    addReset: async (personId, tokenHash) => {
      await client.$executeRaw`
        INSERT INTO password_resets (token_hash, person_id, expires_at)
        VALUES (${tokenHash}, ${personId}, clock_timestamp() + interval '30 minutes')`;
    },
    useReset: (tokenHashes) => useReset(client, tokenHashes),
    offerSecondFactor: async (personId, sealedSecret) => {
      const changed = await client.$executeRaw`
        UPDATE people SET totp_secret = ${sealedSecret}, totp_last_step = NULL
        WHERE id = ${personId} AND totp_confirmed_at IS NULL`;
      return changed > 0;
    },
    confirmSecondFactor: async (personId, step) => {
      const changed = await client.$executeRaw`
        UPDATE people SET totp_confirmed_at = clock_timestamp(), totp_last_step = ${BigInt(step)}
        WHERE id = ${personId} AND totp_secret IS NOT NULL AND totp_confirmed_at IS NULL`;
      return changed > 0;
    },
    removeSecondFactor: async (personId) => {
      await client.$executeRaw`
        UPDATE people SET totp_secret = NULL, totp_confirmed_at = NULL, totp_last_step = NULL
        WHERE id = ${personId}`;
      await client.$executeRaw`DELETE FROM recovery_codes WHERE person_id = ${personId}`;
    },
    takeStep: async (personId, step) => {
      const changed = await client.$executeRaw`
        UPDATE people SET totp_last_step = ${BigInt(step)}
        WHERE id = ${personId} AND totp_confirmed_at IS NOT NULL
          AND (totp_last_step IS NULL OR totp_last_step < ${BigInt(step)})`;
      return changed > 0;
    },
    replaceRecoveryCodes: (personId, hashes) => replaceRecoveryCodes(client, personId, hashes),
    takeRecoveryCode: async (personId, candidates) => {
      const changed = await client.$executeRaw`
        UPDATE recovery_codes SET used_at = clock_timestamp()
        WHERE person_id = ${personId} AND code_hash IN (${Prisma.join([...candidates])}) AND used_at IS NULL`;
      return changed > 0;
    },
    audit: (personId, act) => auditPerson(client, personId, act),
  };
}

async function replacePassword(
  client: Prisma.TransactionClient,
  personId: string,
  read: string,
  next: string,
): Promise<number | undefined> {
  const [row] = await client.$queryRaw<{ password_set_at: Date }[]>`
    UPDATE people SET password_hash = ${next}, password_set_at = clock_timestamp()
    WHERE id = ${personId} AND password_hash = ${read} RETURNING password_set_at`;
  await client.$executeRaw`DELETE FROM sessions WHERE person_id = ${personId}`;
  return row?.password_set_at.getTime();
}

async function useReset(client: Prisma.TransactionClient, tokenHashes: readonly Buffer[]): Promise<boolean> {
  const [used] = await client.$queryRaw<{ person_id: string }[]>`
    UPDATE password_resets SET used_at = clock_timestamp()
    WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND used_at IS NULL AND clock_timestamp() < expires_at
    RETURNING person_id`;
  if (used === undefined) return false;
  await client.$executeRaw`
    UPDATE password_resets SET used_at = clock_timestamp()
    WHERE person_id = ${used.person_id} AND used_at IS NULL`;
  return true;
}

async function replaceRecoveryCodes(
  client: Prisma.TransactionClient,
  personId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  // Waits for whoever replaces them at the same time, so that only one set of codes is left.
  await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR UPDATE`;
  await client.$executeRaw`DELETE FROM recovery_codes WHERE person_id = ${personId}`;
  const rows = hashes.map((hash) => Prisma.sql`(${personId}, ${hash})`);
  await client.$executeRaw`INSERT INTO recovery_codes (person_id, code_hash) VALUES ${Prisma.join(rows)}`;
}

/** Under every business of the person: its owner sees what happens with accounts that reach its data. */
async function auditPerson(
  client: Prisma.TransactionClient,
  personId: string,
  { actor, businessId: about, action, details = {} }: PersonAct,
): Promise<void> {
  if (about !== undefined) {
    const event = { actor, businessId: about, action, subjectId: String(about), details };
    return insertAuditEvent(client, event);
  }
  const rows = await client.$queryRaw<{ business_id: bigint }[]>`
    SELECT business_id FROM memberships WHERE person_id = ${personId} ORDER BY business_id`;
  const businessIds = rows.length === 0 ? [0] : rows.map(({ business_id }) => Number(business_id));
  for (const businessId of businessIds) {
    await insertAuditEvent(client, { actor, businessId, action, subjectId: personId, details });
  }
}

/** What is read of `people`. */
const personColumns = Prisma.sql`
  p.id, p.email, p.name, p.password_hash, p.password_set_at, p.totp_secret, p.totp_confirmed_at,
  (SELECT count(*)::int FROM recovery_codes r WHERE r.person_id = p.id AND r.used_at IS NULL) AS recovery_codes`;

/** A row of `personColumns`. */
interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
  readonly password_set_at: Date;
  readonly totp_secret: Uint8Array | null;
  readonly totp_confirmed_at: Date | null;
  readonly recovery_codes: number;
}

function toPerson(row: PersonRow): PersonWithSecrets {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    passwordSetAt: row.password_set_at.getTime(),
    secondFactor: secondFactorOf(row),
    totpSecret: row.totp_secret ?? undefined,
    recoveryCodes: row.recovery_codes,
  };
}

function secondFactorOf({ totp_secret, totp_confirmed_at }: PersonRow): SecondFactorState {
  if (totp_secret === null) return 'off';
  return totp_confirmed_at === null ? 'offered' : 'on';
}

/** People in PostgreSQL. */
export function createPersonStore(database: Database, prisma: PrismaClient): PersonStore {
  const findWhere = (condition: Prisma.Sql) =>
    database.run(async () => {
      const [row] = await prisma.$queryRaw<PersonRow[]>`
        SELECT ${personColumns} FROM people p WHERE ${condition}`;
      return row && toPerson(row);
    });
  return {
    find: (personId) => findWhere(Prisma.sql`p.id = ${personId}`),
    findWithSecrets: (personId) => findWhere(Prisma.sql`p.id = ${personId}`),
    findByEmail: (email) => findWhere(Prisma.sql`p.email = ${email}`),
    findByReset: (tokenHashes) =>
      findWhere(Prisma.sql`p.id = (
        SELECT person_id FROM password_resets
        WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND used_at IS NULL
          AND clock_timestamp() < expires_at)`),
    memberships: (personId) => database.run(() => listMemberships(prisma, personId)),
    inTransaction: (work) =>
      database.run(() => prisma.$transaction((client) => work(createPersonTransaction(client)))),
  };
}

async function listMemberships(prisma: PrismaClient, personId: string): Promise<Membership[]> {
  const rows = await prisma.$queryRaw<{ business_id: bigint; role: Membership['role'] }[]>`
    SELECT business_id, role::text FROM memberships WHERE person_id = ${personId}
    ORDER BY created_at, business_id`;
  return rows.map(({ business_id, role }) => ({ businessId: Number(business_id), role }));
}
