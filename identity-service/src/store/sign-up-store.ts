import type { Database } from '@platform/service-kit/database.ts';
import { Prisma } from '../generated/client.ts';
import type { NewPerson, SignUpStore } from '../people/sign-up-store.ts';
import { joinTeam } from '../team/join-team.ts';
import type { PrismaClient } from './prisma.ts';
import { createTeamTransaction } from './team-transaction.ts';

interface SignUpRow {
  readonly token_hash: Uint8Array;
  readonly email: string;
}

/** Sign-ups in PostgreSQL. */
export function createSignUpStore(database: Database, prisma: PrismaClient): SignUpStore {
  return {
    insert: (tokenHash, email) =>
      database.run(async () => {
        await prisma.$executeRaw`
          INSERT INTO sign_ups (token_hash, email, expires_at)
          VALUES (${tokenHash}, ${email}, clock_timestamp() + interval '1 hour')`;
      }),
    find: (tokenHashes) =>
      database.run(async () => {
        const [row] = await prisma.$queryRaw<SignUpRow[]>`
          SELECT token_hash, email FROM sign_ups
          WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND clock_timestamp() < expires_at`;
        return row && { email: row.email, tokenHash: Buffer.from(row.token_hash) };
      }),
    complete: (tokenHash, person) =>
      database.run(() => prisma.$transaction((client) => completeSignUp(client, tokenHash, person))),
  };
}

async function completeSignUp(
  client: Prisma.TransactionClient,
  tokenHash: Buffer,
  { personId, name, passwordHash, home, actor }: NewPerson,
): Promise<number | undefined> {
  const [signUp] = await client.$queryRaw<SignUpRow[]>`
    DELETE FROM sign_ups WHERE token_hash = ${tokenHash} AND clock_timestamp() < expires_at RETURNING token_hash, email`;
  if (signUp === undefined) return undefined;
  const [person] = await client.$queryRaw<{ password_set_at: Date }[]>`
    INSERT INTO people (id, email, name, password_hash)
    VALUES (${personId}, ${signUp.email}, ${name}, ${passwordHash})
    ON CONFLICT (email) DO NOTHING RETURNING password_set_at`;
  if (person === undefined) return undefined;
  const team = createTeamTransaction(client);
  if ('invitation' in home) {
    await joinTeam(team, home.invitation, personId, actor);
  } else {
    const [businessId, role] = [home.ownBusinessId, 'owner'] as const;
    await team.addMember(personId, businessId, role);
    const details = { role };
    await team.audit({ actor, businessId, action: 'person.signed_up', subjectId: personId, details });
  }
  return person.password_set_at.getTime();
}
