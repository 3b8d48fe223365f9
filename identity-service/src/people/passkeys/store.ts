import type { Database } from '@platform/service-kit/database/database.ts';
import type { Prisma } from '../../generated/client.ts';
import { type PrismaClient, transactionsOf } from '../../platform/storage.ts';
import { hashSessionId } from '../../web/sessions/session.ts';
import { createPersonTransaction } from '../store.ts';
import { challengeSeconds, maxPasskeys, type Passkey, type Purpose, type StoredPasskey } from './passkey.ts';

/** Whom a challenge is for. */
export interface ChallengeUse {
  readonly purpose: Purpose;
  /** Id of the session, also of a visitor. */
  readonly sessionId: string;
}

interface AddedPasskey {
  readonly id: string;
  readonly personId: string;
  readonly credentialId: Buffer<ArrayBuffer>;
  readonly publicKey: Buffer<ArrayBuffer>;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly isBackedUp: boolean;
  readonly name: string;
}

/** Outcome of using a passkey. `counted_back`: its counter is not above the last one, which indicates a copy. */
export type UseOutcome = 'used' | 'counted_back' | 'gone';

const secretColumns = {
  id: true,
  personId: true,
  credentialId: true,
  publicKey: true,
  transports: true,
} as const;

export type PasskeyTransaction = ReturnType<typeof createPasskeyTransaction>;

/** Changes of a person's passkeys that are made in one transaction. */
function createPasskeyTransaction(client: Prisma.TransactionClient) {
  const { passkey: passkeys } = client;
  return {
    person: createPersonTransaction(client),
    /** Number of a person's passkeys, which stays the same until the transaction ends. */
    lockCount: async (personId: string): Promise<number> => {
      await client.$executeRaw`SELECT 1 FROM people WHERE id = ${personId} FOR NO KEY UPDATE`;
      return passkeys.count({ where: { personId } });
    },
    /** Of a person's passkeys, oldest first. */
    ids: async (personId: string): Promise<string[]> => {
      const orderBy = { createdAt: 'asc' } as const;
      const found = await passkeys.findMany({ where: { personId }, select: { id: true }, orderBy });
      return found.map(({ id }) => id);
    },
    /** False when the credential is known already, of this person or another. */
    add: async ({ signCount, transports, ...passkey }: AddedPasskey): Promise<boolean> => {
      const data = { ...passkey, signCount: BigInt(signCount), transports: [...transports] };
      return (await passkeys.createMany({ data, skipDuplicates: true })).count > 0;
    },
    /** The name from before; undefined when the person has no such passkey. */
    rename: async (personId: string, id: string, name: string): Promise<string | undefined> => {
      const found = await passkeys.findFirst({ where: { id, personId }, select: { name: true } });
      await passkeys.updateMany({ where: { id, personId }, data: { name } });
      return found?.name;
    },
    /** Its name; undefined when the person has no such passkey. Sessions that began with it end with it. */
    remove: async (personId: string, id: string): Promise<string | undefined> => {
      const found = await passkeys.findFirst({ where: { id, personId }, select: { name: true } });
      await passkeys.deleteMany({ where: { id, personId } });
      return found?.name;
    },
    /** Records a use. Authenticators that do not count always send 0. */
    use: async (id: string, signCount: number, isBackedUp: boolean): Promise<UseOutcome> => {
      const count = BigInt(signCount);
      // Locks the person first, in the same order as the deletion of an account.
      await client.$executeRaw`
        SELECT 1 FROM people p JOIN passkeys k ON k.person_id = p.id WHERE k.id = ${id} FOR KEY SHARE OF p`;
      const updated = await client.$executeRaw`
        UPDATE passkeys SET sign_count = ${count}, is_backed_up = ${isBackedUp}, last_used_at = clock_timestamp()
        WHERE id = ${id} AND (sign_count < ${count} OR (sign_count = 0 AND ${count} = 0))`;
      if (updated > 0) return 'used';
      return (await passkeys.count({ where: { id } })) > 0 ? 'counted_back' : 'gone';
    },
    hasSession: async (personId: string, sessionId: string): Promise<boolean> =>
      (await client.session.count({ where: { idHash: hashSessionId(sessionId), personId } })) > 0,
    endSessions: async (personId: string): Promise<void> => {
      await client.session.deleteMany({ where: { personId } });
    },
  };
}

async function addChallenge(
  prisma: PrismaClient,
  challenge: Buffer<ArrayBuffer>,
  { purpose, sessionId }: ChallengeUse,
): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO passkey_challenges (challenge, purpose, session_hash, expires_at)
    VALUES (${challenge}, ${purpose}, ${hashSessionId(sessionId)},
            clock_timestamp() + make_interval(secs => ${challengeSeconds}))`;
}

async function takeChallenge(
  prisma: PrismaClient,
  challenge: Buffer<ArrayBuffer>,
  { purpose, sessionId }: ChallengeUse,
): Promise<boolean> {
  const taken = await prisma.$executeRaw`
    DELETE FROM passkey_challenges
    WHERE challenge = ${challenge} AND purpose = ${purpose} AND session_hash = ${hashSessionId(sessionId)}
      AND clock_timestamp() < expires_at`;
  return taken > 0;
}

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

/** Keeps passkeys, and the challenges that they sign, in PostgreSQL. */
export function createPasskeyStore(database: Database, prisma: PrismaClient) {
  const { passkey: passkeys } = prisma;
  return {
    /** Passkeys of a person, oldest first. */
    list: (personId: string): Promise<Passkey[]> =>
      database.run(async () => {
        const select = { id: true, name: true, isBackedUp: true, createdAt: true, lastUsedAt: true } as const;
        const orderBy = { createdAt: 'asc' } as const;
        const rows = await passkeys.findMany({ where: { personId }, select, orderBy, take: maxPasskeys });
        return rows.map(({ createdAt, lastUsedAt, ...row }) => ({
          ...row,
          createdAt: createdAt.getTime(),
          lastUsedAt: lastUsedAt?.getTime(),
        }));
      }),
    /** The same with their keys. */
    listStored: (personId: string): Promise<StoredPasskey[]> =>
      database.run(() =>
        passkeys.findMany({ where: { personId }, select: secretColumns, take: maxPasskeys }),
      ),
    findByCredential: (credentialId: Buffer<ArrayBuffer>): Promise<StoredPasskey | undefined> =>
      database.run(
        async () =>
          (await passkeys.findUnique({ where: { credentialId }, select: secretColumns })) ?? undefined,
      ),
    addChallenge: (challenge: Buffer<ArrayBuffer>, use: ChallengeUse): Promise<void> =>
      database.run(() => addChallenge(prisma, challenge, use)),
    /** Uses up a challenge. False when it was made for another session or purpose, was used or has expired. */
    takeChallenge: (challenge: Buffer<ArrayBuffer>, use: ChallengeUse): Promise<boolean> =>
      database.run(() => takeChallenge(prisma, challenge, use)),
    inTransaction: transactionsOf(database, prisma, createPasskeyTransaction),
  };
}
