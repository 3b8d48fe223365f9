import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { OperatorEvent } from '../audit/operator-log/log.ts';
import { insertOperatorEvent } from '../audit/operator-log/store.ts';
import type { Prisma } from '../generated/client.ts';
import { hasFactorOfP, type PrismaClient, transactionsOf } from '../platform/storage.ts';
import { hashSessionId } from '../web/sessions/session.ts';

/** An operator of the console. Times are milliseconds since 1970. */
export interface Operator {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly invitedBy: string;
  readonly since: number;
  readonly hasSecondFactor: boolean;
}

/** An invitation that was not accepted yet. */
export interface OperatorInvitation {
  /** Lower case. */
  readonly email: string;
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A session of a person, as the rules of the console need it. */
export interface OperatorSession {
  readonly email: string;
  readonly isOperator: boolean;
  /** The person has one, and this session was begun with it. */
  readonly hasSecondFactor: boolean;
  /** It began within the last `sessionHours`. */
  readonly isRecent: boolean;
}

/** Hours after a login in which its session opens the console: a working day. */
export const sessionHours = 12;

/** Hours in which an invitation can be accepted. */
export const invitationHours = 24;

const sessionRow = z.object({
  email: z.string(),
  isOperator: z.boolean(),
  hasSecondFactor: z.boolean(),
  isRecent: z.boolean(),
}) satisfies z.ZodType<OperatorSession>;

const operatorRow = z.object({
  personId: z.string(),
  email: z.string(),
  name: z.string(),
  invitedBy: z.string(),
  since: timestamp,
  hasSecondFactor: z.boolean(),
}) satisfies z.ZodType<Operator>;

const invitationRow = z.object({
  email: z.string(),
  invitedBy: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
}) satisfies z.ZodType<OperatorInvitation>;

interface NewInvitation {
  readonly id: string;
  readonly tokenHash: Buffer;
  /** Lower case. */
  readonly email: string;
  readonly invitedBy: string;
}

function createTransaction(client: Prisma.TransactionClient) {
  return {
    /** @param email lower case */
    isOperator: async (email: string): Promise<boolean> =>
      (await client.operator.count({ where: { removedAt: null, person: { email } } })) > 0,
    /** Adds an invitation, which replaces an earlier one of its address. */
    putInvitation: (invitation: NewInvitation): Promise<OperatorInvitation> =>
      putInvitation(client, invitation),
    /** Uses an invitation up; undefined when it has expired or is gone. */
    takeInvitation: async (tokenHashes: readonly Buffer[]): Promise<OperatorInvitation | undefined> => {
      const statement = client.$queryRaw`
        DELETE FROM operator_invitations WHERE token_hash = ANY(${[...tokenHashes]}::bytea[]) AND clock_timestamp() < expires_at
        RETURNING email, invited_by AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt"`;
      const [taken] = await readRows(invitationRow, statement);
      return taken;
    },
    removeInvitation: async (email: string): Promise<boolean> =>
      (await client.operatorInvitation.deleteMany({ where: { email } })).count > 0,
    /** Makes a person an operator, also one who was removed. */
    add: async (personId: string, invitedBy: string): Promise<void> => {
      await client.$executeRaw`
        INSERT INTO operators (person_id, invited_by) VALUES (${personId}, ${invitedBy})
        ON CONFLICT (person_id) DO UPDATE
        SET invited_by = excluded.invited_by, since = clock_timestamp(), removed_at = NULL`;
    },
    /** Ends the role of an address; the person, or undefined when there is no such operator. */
    remove: async (email: string): Promise<string | undefined> => {
      const statement = client.$queryRaw`
        UPDATE operators o SET removed_at = clock_timestamp() FROM people p
        WHERE p.id = o.person_id AND p.email = ${email} AND o.removed_at IS NULL RETURNING o.person_id AS "personId"`;
      const [removed] = await readRows(operatorRow.pick({ personId: true }), statement);
      return removed?.personId;
    },
    record: (event: OperatorEvent): Promise<void> => insertOperatorEvent(client, event),
  };
}

export type OperatorStore = ReturnType<typeof createOperatorStore>;

/** Keeps operators and their invitations in PostgreSQL. */
export function createOperatorStore(database: Database, prisma: PrismaClient) {
  return {
    /** The role and the factors of a session, as they are now; undefined when it has ended. */
    session: (personId: string, sessionId: string): Promise<OperatorSession | undefined> =>
      database.run(async () => (await readSession(prisma, personId, sessionId))[0]),
    /** The address that an open invitation was sent to. */
    invitedEmail: (tokenHashes: readonly Buffer[]): Promise<string | undefined> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT email FROM operator_invitations
          WHERE token_hash = ANY(${[...tokenHashes]}::bytea[]) AND clock_timestamp() < expires_at`;
        const [invited] = await readRows(invitationRow.pick({ email: true }), statement);
        return invited?.email;
      }),
    /** Operators, longest first. */
    list: (): Promise<Operator[]> => database.run(() => listOperators(prisma)),
    /** Open invitations, oldest first. */
    invitations: (): Promise<OperatorInvitation[]> =>
      database.run(() =>
        readRows(
          invitationRow,
          prisma.$queryRaw`
            SELECT email, invited_by AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt"
            FROM operator_invitations WHERE clock_timestamp() < expires_at ORDER BY created_at, id`,
        ),
      ),
    /** Email addresses of those of these people who still exist, by id. */
    emails: (personIds: readonly string[]): Promise<ReadonlyMap<string, string>> =>
      database.run(async () => {
        const where = { id: { in: [...new Set(personIds)] } };
        const rows = await prisma.person.findMany({ where, select: { id: true, email: true } });
        return new Map(rows.map(({ id, email }) => [id, email]));
      }),
    inTransaction: transactionsOf(database, prisma, createTransaction),
  };
}

function readSession(prisma: PrismaClient, personId: string, sessionId: string): Promise<OperatorSession[]> {
  const statement = prisma.$queryRaw`
    SELECT p.email, o.person_id IS NOT NULL AS "isOperator",
           ${hasFactorOfP} AND (s.data ->> 'passwordOnly') IS NULL AS "hasSecondFactor",
           s.created_at > clock_timestamp() - make_interval(hours => ${sessionHours}) AS "isRecent"
    FROM sessions s JOIN people p ON p.id = s.person_id
    LEFT JOIN operators o ON o.person_id = p.id AND o.removed_at IS NULL
    WHERE s.id_hash = ${hashSessionId(sessionId)} AND p.id = ${personId}`;
  return readRows(sessionRow, statement);
}

function listOperators(prisma: PrismaClient): Promise<Operator[]> {
  const statement = prisma.$queryRaw`
    SELECT o.person_id AS "personId", p.email, p.name, o.invited_by AS "invitedBy", o.since,
           ${hasFactorOfP} AS "hasSecondFactor"
    FROM operators o JOIN people p ON p.id = o.person_id
    WHERE o.removed_at IS NULL ORDER BY o.since, o.person_id`;
  return readRows(operatorRow, statement);
}

async function putInvitation(
  client: Prisma.TransactionClient,
  { id, tokenHash, email, invitedBy }: NewInvitation,
): Promise<OperatorInvitation> {
  const statement = client.$queryRaw`
    INSERT INTO operator_invitations (id, token_hash, email, invited_by, expires_at)
    VALUES (${id}, ${tokenHash}, ${email}, ${invitedBy}, clock_timestamp() + make_interval(hours => ${invitationHours}))
    ON CONFLICT (email) DO UPDATE
    SET id = excluded.id, token_hash = excluded.token_hash, invited_by = excluded.invited_by,
        created_at = clock_timestamp(), expires_at = excluded.expires_at
    RETURNING email, invited_by AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt"`;
  const [invitation] = await readRows(invitationRow, statement);
  if (invitation === undefined) throw new Error('an invitation that was just added is gone');
  return invitation;
}
