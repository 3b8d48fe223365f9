import type { Database } from '@platform/service-kit/database/database.ts';
import { bytes, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { Actor } from '../../platform/actor.ts';
import type { PrismaClient } from '../../platform/storage.ts';
import { reserveAddress } from '../email-change/store.ts';
import { joinTeam } from '../team/invitations.ts';
import { createTeamTransaction } from '../team/store.ts';
import type { HeldInvitation } from '../team/team.ts';

/** The person that a sign-up becomes. */
export interface NewPerson {
  readonly personId: string;
  readonly name: string;
  /** argon2id, PHC string. */
  readonly passwordHash: string;
  /**
   * The business to which the person belongs at once: a new one as its owner, one that has invited the person, or none as an
   * operator.
   */
  readonly home: { readonly ownBusinessId: number } | { readonly invitation: HeldInvitation } | 'none';
  readonly actor: Actor;
}

/** A sign-up whose email address was confirmed: the address, in lower case, and the hash of the mailed token. */
const signUpRow = z.object({
  tokenHash: bytes,
  email: z.string(),
  /** Hash of the earliest token of the address that has not expired. */
  firstHash: bytes,
});

type ConfirmedAddress = z.output<typeof signUpRow>;

export type SignUpStore = ReturnType<typeof createSignUpStore>;

/** Keeps sign-ups in PostgreSQL until their email address is confirmed. */
export function createSignUpStore(database: Database, prisma: PrismaClient) {
  return {
    /** Stores a sign-up for an hour. @param email lower case */
    insert: (tokenHash: Uint8Array, email: string): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          INSERT INTO sign_ups (token_hash, email, expires_at)
          VALUES (${tokenHash}, ${email}, clock_timestamp() + interval '1 hour')`;
      }),
    /** The address of a token that has not expired. */
    find: (tokenHashes: readonly Buffer[]): Promise<ConfirmedAddress | undefined> =>
      database.run(() => findSignUp(prisma, tokenHashes)),
    /**
     * Uses up a sign-up and creates the person and its membership in one transaction. Resolves to the time of the password;
     * undefined when the sign-up is gone or a person has the address by now.
     * @throws AppError when the invitation has expired
     */
    complete: (tokenHash: Uint8Array, person: NewPerson): Promise<number | undefined> =>
      database.run(() => prisma.$transaction((client) => completeSignUp(client, tokenHash, person))),
  };
}

async function findSignUp(
  client: Prisma.TransactionClient,
  tokenHashes: readonly Uint8Array[],
): Promise<ConfirmedAddress | undefined> {
  const statement = client.$queryRaw`
    SELECT token_hash AS "tokenHash", email, coalesce((
      SELECT f.token_hash FROM sign_ups f WHERE f.email = s.email AND clock_timestamp() < f.expires_at
      ORDER BY f.expires_at, f.token_hash LIMIT 1), token_hash) AS "firstHash"
    FROM sign_ups s WHERE token_hash IN (${Prisma.join([...tokenHashes])}) AND clock_timestamp() < expires_at`;
  const [signUp] = await readRows(signUpRow, statement);
  return signUp;
}

/**
 * Uses up all sign-ups of an address and reserves the address. Resolves to it; undefined when the sign-up was used or the
 * address is taken.
 */
async function takeAddress(
  client: Prisma.TransactionClient,
  tokenHash: Uint8Array,
): Promise<string | undefined> {
  const signUp = await findSignUp(client, [tokenHash]);
  // Locks the address before its sign-ups, in the same order as a change to that address. Otherwise the two could deadlock.
  if (signUp === undefined || !(await reserveAddress(client, signUp.email, undefined))) return undefined;
  const used = await client.$executeRaw`
    DELETE FROM sign_ups WHERE token_hash = ${tokenHash} AND clock_timestamp() < expires_at`;
  if (used === 0) return undefined;
  await client.signUp.deleteMany({ where: { email: signUp.email } });
  return signUp.email;
}

async function completeSignUp(
  client: Prisma.TransactionClient,
  tokenHash: Uint8Array,
  { personId, name, passwordHash, home, actor }: NewPerson,
): Promise<number | undefined> {
  const team = createTeamTransaction(client);
  // Locks the team before the address, in the same order as the deletion of an account. Otherwise the two could deadlock.
  const invitation = home !== 'none' && 'invitation' in home ? home.invitation : undefined;
  if (invitation !== undefined) await team.lockTeam(invitation.businessId);
  const email = await takeAddress(client, tokenHash);
  if (email === undefined) return undefined;
  const [person] = await client.person.createManyAndReturn({
    data: { id: personId, email, name, passwordHash },
    skipDuplicates: true,
    select: { passwordSetAt: true },
  });
  if (person === undefined) return undefined;
  if (invitation !== undefined) {
    await joinTeam(team, invitation, personId, actor);
  } else {
    // 0 for an operator, who has no business.
    const businessId = home !== 'none' && 'ownBusinessId' in home ? home.ownBusinessId : 0;
    const role = 'owner';
    if (businessId !== 0) await team.addMember(personId, businessId, role);
    const details = businessId === 0 ? {} : { role };
    await team.audit({ actor, businessId, action: 'person.signed_up', subjectId: personId, details });
  }
  return person.passwordSetAt.getTime();
}
