import type { Database } from '@platform/service-kit/database/database.ts';
import { nullable, readRows } from '@platform/service-kit/database/rows.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import { insertOperatorEvent } from '../audit/operator-log/store.ts';
import { Prisma } from '../generated/client.ts';
import type { Actor } from '../platform/actor.ts';
import { type PrismaClient, transactionsOf } from '../platform/storage.ts';
import { proposalHours } from './proposal-store.ts';

const stateRow = z.object({
  isOn: z.boolean(),
  /** Operator who asked to turn it off, for as long as another operator can confirm that. */
  offAskedBy: nullable(z.string()),
});

/** Whether a ban takes two operators. */
export type FourEyes = z.output<typeof stateRow>;

export type FourEyesStore = ReturnType<typeof createFourEyesStore>;

/** Keeps the one setting of all replicas in PostgreSQL. */
export function createFourEyesStore(database: Database, prisma: PrismaClient) {
  const inTransaction = transactionsOf(database, prisma, (client) => client);
  return {
    read: (): Promise<FourEyes> => database.run(() => readState(prisma)),
    /**
     * Turns four eyes on, which also withdraws a pending request to turn it off; or requests to turn it off, which another
     * operator confirms by the same call. @throws AppError own_proposal
     */
    set: (actor: Actor, isOn: boolean): Promise<FourEyes> =>
      inTransaction(async (client) => {
        await client.$executeRaw`INSERT INTO four_eyes (id, is_on) VALUES (1, false) ON CONFLICT DO NOTHING`;
        const before = await readState(client, Prisma.sql`FOR UPDATE`);
        const { action, after } = stepOf(before, actor, isOn);
        if (action === undefined) return before;
        await client.$executeRaw`
          UPDATE four_eyes SET is_on = ${after.isOn}, off_asked_by = ${after.offAskedBy ?? null},
                 off_asked_at = clock_timestamp()`;
        await insertOperatorEvent(client, { actor, action, subjectId: '', details: {} });
        return after;
      }),
  };
}

interface Step {
  /** For the log of operators; undefined when nothing changes. */
  readonly action: string | undefined;
  readonly after: FourEyes;
}

function stepOf(before: FourEyes, { id }: Actor, isOn: boolean): Step {
  const { offAskedBy } = before;
  if (isOn) {
    const isSo = before.isOn && offAskedBy === undefined;
    return { action: isSo ? undefined : 'operator.four_eyes_on', after: { isOn, offAskedBy: undefined } };
  }
  if (!before.isOn) return { action: undefined, after: before };
  if (offAskedBy === undefined) {
    return { action: 'operator.four_eyes_off_asked', after: { isOn: true, offAskedBy: id } };
  }
  if (offAskedBy !== id) return { action: 'operator.four_eyes_off', after: { isOn, offAskedBy: undefined } };
  throw new AppError(
    'permission_denied',
    'own_proposal',
    'another operator than the one who asked confirms it',
  );
}

async function readState(client: Prisma.TransactionClient, lock = Prisma.empty): Promise<FourEyes> {
  const statement = client.$queryRaw`
    SELECT is_on AS "isOn",
           CASE WHEN off_asked_at > clock_timestamp() - make_interval(hours => ${proposalHours}) THEN off_asked_by END
             AS "offAskedBy"
    FROM four_eyes WHERE id = 1 ${lock}`;
  const [row] = await readRows(stateRow, statement);
  return row ?? { isOn: false, offAskedBy: undefined };
}
