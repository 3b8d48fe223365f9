import { Prisma } from '../generated/client.ts';
import type { PersonAct, PersonTransaction } from '../people/person-store.ts';
import { insertAuditEvent } from './audit-store.ts';

/** What an operation on a person does in one transaction of `client`. */
export function createPersonTransaction(client: Prisma.TransactionClient): PersonTransaction {
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
