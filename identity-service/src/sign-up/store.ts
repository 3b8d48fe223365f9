import type { Database } from '@platform/service-kit/database/database.ts';
import { Prisma } from '../generated/client.ts';
import type { Actor } from '../platform/actor.ts';
import type { PrismaClient } from '../platform/storage.ts';
import { joinTeam } from '../team/invitations.ts';
import { createTeamTransaction } from '../team/store.ts';
import type { HeldInvitation } from '../team/team.ts';

/** A mail address that was shown to be somebody's own. */
interface ConfirmedAddress {
  /** Lower case. */
  readonly email: string;
  /** What the sign-up is kept under. */
  readonly tokenHash: Buffer;
}

/** The person that a sign-up becomes. */
export interface NewPerson {
  readonly personId: string;
  readonly name: string;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /** The business to which the person belongs at once: a new one as its owner, or one that has invited the person. */
  readonly home: { readonly ownBusinessId: number } | { readonly invitation: HeldInvitation };
  readonly actor: Actor;
}

/** Where sign-ups wait for their mail address to be confirmed. */
export interface SignUpStore {
  /** Keeps one for an hour. @param email lower case */
  insert(tokenHash: Buffer, email: string): Promise<void>;
  /** The address of a token whose time is not over. */
  find(tokenHashes: readonly Buffer[]): Promise<ConfirmedAddress | undefined>;
  /**
   * Uses it up: the person and its membership, all or nothing. When the password was set; undefined when the sign-up is
   * gone, or the address belongs to a person by now.
   * @throws AppError when the invitation is over by now
   */
  complete(tokenHash: Buffer, person: NewPerson): Promise<number | undefined>;
}

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
