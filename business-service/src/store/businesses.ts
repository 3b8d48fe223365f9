import type { Database } from '@platform/service-kit/database.ts';
import type { Business } from '../businesses/business.ts';
import { businessSnapshot } from '../businesses/business-resource.ts';
import type { BusinessDraft, BusinessStore, CreateOutcome } from '../businesses/business-store.ts';
import type { BusinessChange, BusinessStep } from '../businesses/change-business.ts';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import { randomId } from '../random-id.ts';
import { businessOfRow, rowOfBusiness } from './business-row.ts';
import { readClock, spendTurn, takeTurn } from './turn.ts';

const profileColumns = {
  id: true,
  isBanned: true,
  uniqueId: true,
  accountHolder: true,
  logo: true,
  username: true,
} as const;

export function createBusinessStore(prisma: PrismaClient, database: Database): BusinessStore {
  return {
    profile: (id) =>
      database.run(async () => {
        const row = await prisma.business.findUnique({ where: { id }, select: profileColumns });
        return row ?? undefined;
      }),
    find: (id) => database.run(() => findBusiness(prisma, id)),
    create: (draft) => database.run(() => createBusiness(prisma, draft)),
    change: (id, step) => database.run(() => prisma.$transaction((tx) => changeBusiness(tx, id, step))),
  };
}

async function findBusiness(tx: Prisma.TransactionClient, id: number): Promise<Business | undefined> {
  const row = await tx.business.findUnique({ where: { id } });
  return row === null ? undefined : businessOfRow(row);
}

async function createBusiness(prisma: PrismaClient, draft: BusinessDraft): Promise<CreateOutcome> {
  try {
    const business = await prisma.$transaction((tx) => insertBusiness(tx, draft));
    return { kind: 'created', business };
  } catch (error) {
    const isUniqueViolation = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isUniqueViolation) throw error;
    const earlier = await findCreated(prisma, draft);
    return earlier === undefined ? { kind: 'username_taken' } : { kind: 'created', business: earlier };
  }
}

/** What an earlier call with the same creation key made. */
async function findCreated(
  prisma: PrismaClient,
  { creationKey }: BusinessDraft,
): Promise<Business | undefined> {
  if (creationKey === null) return undefined;
  const row = await prisma.business.findUnique({ where: { creationKey } });
  return row === null ? undefined : businessOfRow(row);
}

async function insertBusiness(tx: Prisma.TransactionClient, draft: BusinessDraft): Promise<Business> {
  const now = await readClock(tx);
  const row = await tx.business.create({
    data: { ...draft, uniqueId: randomId('biz'), createdAt: now, counter: { create: {} } },
  });
  const business = businessOfRow(row);
  const turn = await takeTurn(tx, row.id);
  if (turn === undefined) throw new Error('a new business has no counter');
  await spendTurn(tx, turn, { type: 'business.created', payload: businessSnapshot(business) });
  return business;
}

async function changeBusiness(
  tx: Prisma.TransactionClient,
  id: number,
  step: BusinessStep,
): Promise<BusinessChange | undefined> {
  const turn = await takeTurn(tx, id);
  const business = turn && (await findBusiness(tx, id));
  if (turn === undefined || business === undefined) return undefined;
  const change = step(business, turn.now);
  if (change.kind !== 'changed') return change;
  await tx.business.update({ where: { id }, data: rowOfBusiness(change.business), select: { id: true } });
  await spendTurn(tx, turn, { type: change.event, payload: businessSnapshot(change.business) });
  return change;
}
