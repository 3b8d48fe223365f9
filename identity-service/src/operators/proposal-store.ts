import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, nullable, readRows, timestamp } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { OperatorEvent } from '../audit/operator-log/log.ts';
import { insertOperatorEvent } from '../audit/operator-log/store.ts';
import { insertAuditEvent } from '../audit/store.ts';
import { createApplicationTransaction } from '../credentials/applications/store.ts';
import { Prisma } from '../generated/client.ts';
import type { AuditEvent } from '../platform/actor.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';

/** A ban, or the end of one, that waits for a second operator. Times are milliseconds since 1970. */
export interface BanProposal {
  readonly id: string;
  readonly businessId: number;
  /** Otherwise it lifts a ban. */
  readonly isBan: boolean;
  /** For the owners. */
  readonly reason: string;
  readonly proposedBy: string;
  /** Undefined when the account was deleted. */
  readonly proposedByEmail: string | undefined;
  readonly proposedAt: number;
  readonly expiresAt: number;
  /** It is not decided, and has not expired. */
  readonly waits: boolean;
}

/** Hours in which a proposal can be decided: a weekend. */
export const proposalHours = 72;

const proposalRow = z.object({
  id: z.string(),
  businessId: integer,
  isBan: z.boolean(),
  reason: z.string(),
  proposedBy: z.string(),
  proposedByEmail: nullable(z.string()),
  proposedAt: timestamp,
  expiresAt: timestamp,
  waits: z.boolean(),
}) satisfies z.ZodType<BanProposal>;

/** Most proposals of one list. */
const maxListed = 100;

const waits = Prisma.sql`b.outcome IS NULL AND b.expires_at > clock_timestamp()`;

/** Proposals `b`. @param condition what follows WHERE, order and locks included */
function selectProposals(client: Prisma.TransactionClient, condition: Prisma.Sql): Promise<BanProposal[]> {
  const statement = client.$queryRaw`
    SELECT b.id, b.business_id AS "businessId", b.is_ban AS "isBan", b.reason, b.proposed_by AS "proposedBy",
           p.email AS "proposedByEmail", b.proposed_at AS "proposedAt", b.expires_at AS "expiresAt",
           ${waits} AS waits
    FROM ban_proposals b LEFT JOIN people p ON p.id = b.proposed_by WHERE ${condition}`;
  return readRows(proposalRow, statement);
}

type NewProposal = Pick<BanProposal, 'id' | 'businessId' | 'isBan' | 'reason' | 'proposedBy'>;

function createTransaction(client: Prisma.TransactionClient) {
  return {
    /** False while another one of the business waits. */
    add: async ({ id, businessId, isBan, reason, proposedBy }: NewProposal): Promise<boolean> => {
      const business = BigInt(businessId);
      await client.$executeRaw`
        UPDATE ban_proposals SET outcome = 'expired', decided_at = expires_at
        WHERE business_id = ${business} AND outcome IS NULL AND expires_at <= clock_timestamp()`;
      const added = await client.$executeRaw`
        INSERT INTO ban_proposals (id, business_id, is_ban, reason, proposed_by, expires_at)
        VALUES (${id}, ${business}, ${isBan}, ${reason}, ${proposedBy},
                clock_timestamp() + make_interval(hours => ${proposalHours}))
        ON CONFLICT DO NOTHING`;
      return added > 0;
    },
    /** A proposal, locked until the transaction ends. */
    lock: async (id: string): Promise<BanProposal | undefined> => {
      const [proposal] = await selectProposals(client, Prisma.sql`b.id = ${id} FOR UPDATE OF b`);
      return proposal;
    },
    /** Ends a proposal that this transaction has locked. */
    decide: async (id: string, outcome: 'confirmed' | 'declined', decidedBy: string): Promise<void> => {
      await client.$executeRaw`
        UPDATE ban_proposals SET outcome = ${outcome}, decided_by = ${decidedBy}, decided_at = clock_timestamp()
        WHERE id = ${id}`;
    },
    record: (event: OperatorEvent): Promise<void> => insertOperatorEvent(client, event),
    audit: (event: AuditEvent): Promise<void> => insertAuditEvent(client, event),
    /** Changes of a confirmed ban, in the same transaction. */
    applications: createApplicationTransaction(client),
  };
}

export type ProposalStore = ReturnType<typeof createProposalStore>;

/** Keeps proposals of bans in PostgreSQL. */
export function createProposalStore(database: Database, prisma: PrismaClient) {
  return {
    /** Those that wait, the longest first. */
    waiting: (): Promise<BanProposal[]> =>
      database.run(() =>
        selectProposals(prisma, Prisma.sql`${waits} ORDER BY b.proposed_at, b.id LIMIT ${maxListed}`),
      ),
    /** The one of a business that waits. */
    waitingOf: async (businessId: number): Promise<BanProposal | undefined> => {
      const condition = Prisma.sql`b.business_id = ${BigInt(businessId)} AND ${waits}`;
      return (await database.run(() => selectProposals(prisma, condition)))[0];
    },
    inTransaction: transactionsOf(database, prisma, createTransaction),
  };
}
