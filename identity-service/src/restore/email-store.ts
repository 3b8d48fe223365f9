import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { removeSecondFactorSince, undoHours } from '../people/email-change/store.ts';
import { createPersonTransaction } from '../people/store.ts';

/** The undo link of a change of address that the restored database lacks. */
interface LoggedUndo {
  readonly id: string;
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly sealedToken: Buffer<ArrayBuffer>;
  readonly personId: string;
  /** The replaced address. */
  readonly email: string;
  /** When it was replaced, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Changes of email addresses that a restore makes in one transaction. */
export function createEmailTransaction(client: Prisma.TransactionClient) {
  return {
    /** The address of a person, locked until the transaction ends. */
    lockEmail: async (personId: string): Promise<string | undefined> => {
      const statement = client.$queryRaw`SELECT email FROM people WHERE id = ${personId} FOR UPDATE`;
      return (await readRows(z.object({ email: z.string() }), statement))[0]?.email;
    },
    /** Sets a person's address. False if any person already has it. */
    setEmail: async (personId: string, email: string): Promise<boolean> => {
      const changed = await client.$executeRaw`
        UPDATE people SET email = ${email}
        WHERE id = ${personId} AND NOT EXISTS (SELECT 1 FROM people other WHERE other.email = ${email})`;
      return changed > 0;
    },
    hasUndo: async (id: string): Promise<boolean> => (await client.emailUndo.count({ where: { id } })) > 0,
    addUndo: (undo: LoggedUndo): Promise<number> => addUndo(client, undo),
    /** Repeats the effects of using an undo link: ends later links and second factors that were turned on since. */
    useUndo: (personId: string, email: string): Promise<void> => useUndo(client, personId, email),
    auditPerson: createPersonTransaction(client).audit,
  };
}

async function useUndo(client: Prisma.TransactionClient, personId: string, email: string): Promise<void> {
  // The log identifies the link by its address only. Of several links to it, the earliest ends the most.
  const where = { personId, email };
  const select = { createdAt: true };
  const used = await client.emailUndo.findFirst({ where, select, orderBy: { createdAt: 'asc' } });
  if (used === null) return;
  await client.emailUndo.deleteMany({ where: { personId, createdAt: { gte: used.createdAt } } });
  await removeSecondFactorSince(client, personId, used.createdAt);
}

/** Adds an undo link with the usual lifetime, but none for an old change: its mailbox may have been given up long ago. */
function addUndo(
  client: Prisma.TransactionClient,
  { id, tokenHash, sealedToken, personId, email, changedAt }: LoggedUndo,
): Promise<number> {
  const createdAt = new Date(changedAt);
  return client.$executeRaw`
    INSERT INTO email_undos (id, token_hash, sealed_token, person_id, email, created_at, expires_at)
    SELECT ${id}, ${tokenHash}, ${sealedToken}, ${personId}, ${email}, at,
           CASE WHEN at + open > clock_timestamp() THEN clock_timestamp() + open ELSE at + open END
    FROM (SELECT ${createdAt}::timestamptz(3) AS at, make_interval(hours => ${undoHours}::int) AS open) change`;
}
