import type { Database } from '@platform/service-kit/database/database.ts';
import { randomId } from '@platform/service-kit/values/ids.ts';
import { nameKeys } from '@platform/service-kit/values/name.ts';
import { type AnnounceChange, appendEvent, lockSequence, readClock } from '../events/sequence.ts';
import { Prisma, type PrismaClient } from '../generated/client.ts';
import type { Author } from '../passport.ts';
import type {
  Business,
  BusinessChange,
  BusinessProfile,
  BusinessStep,
  VerificationStatus,
} from './business.ts';
import { businessSnapshot } from './resource.ts';

interface BusinessDraft extends Pick<Business, 'accountHolder' | 'username' | 'logo'> {
  /** Names this creation. */
  readonly creationKey: string | null;
  readonly isSandbox: boolean;
}

interface UsernameTaken {
  readonly kind: 'username_taken';
}

type CreateOutcome = { readonly kind: 'created'; readonly business: Business } | UsernameTaken;

/** A change, with the business as it was before. */
type ChangeOutcome = (BusinessChange & { readonly previous: Business }) | UsernameTaken;

type Row = Prisma.BusinessGetPayload<object>;

function businessOfRow(row: Row): Business {
  const { id, isBanned, uniqueId, accountHolder, logo, username, createdAt, usernameChangeableAt } = row;
  const { legalName, registrationNumber, country, submittedAt, decidedAt, rejectionReason } = row;
  return {
    id,
    isBanned,
    uniqueId,
    accountHolder,
    logo,
    username,
    createdAt,
    usernameChangeableAt,
    verification: {
      status: row.verificationStatus,
      legalName,
      registrationNumber,
      country,
      submittedAt,
      decidedAt,
      rejectionReason,
    },
  };
}

/** The columns that a step may change. */
function rowOfBusiness(business: Business) {
  const { isBanned, accountHolder, username, usernameChangeableAt, logo, verification } = business;
  const { status, ...facts } = verification;
  const record = { isBanned, accountHolder, username, usernameChangeableAt, logo };
  const nameKeys = keysOf([accountHolder, facts.legalName ?? accountHolder]);
  return { ...record, verificationStatus: status, ...facts, nameKeys };
}

function keysOf(names: readonly string[]): string[] {
  return [...new Set(names.flatMap(nameKeys))];
}

const profileColumns = {
  id: true,
  isBanned: true,
  uniqueId: true,
  accountHolder: true,
  logo: true,
  username: true,
} as const;

export type BusinessStore = ReturnType<typeof createBusinessStore>;

/** Keeps businesses in PostgreSQL. Every write appends its event in the same transaction. */
export function createBusinessStore(prisma: PrismaClient, database: Database, announce: AnnounceChange) {
  return {
    /** One read of one row. */
    profile: (id: number): Promise<BusinessProfile | undefined> =>
      database.run(async () => {
        const row = await prisma.business.findUnique({ where: { id }, select: profileColumns });
        return row ?? undefined;
      }),
    find: (id: number): Promise<Business | undefined> => database.run(() => findBusiness(prisma, id)),
    isSandbox: (id: number): Promise<boolean> =>
      database.run(async () => (await prisma.business.count({ where: { id, isSandbox: true } })) === 1),
    /** Those of these businesses that are banned. */
    bannedAmong: (ids: readonly number[]): Promise<number[]> =>
      database.run(async () => {
        const where = { id: { in: [...ids] }, isBanned: true };
        const rows = await prisma.business.findMany({ where, select: { id: true } });
        return rows.map(({ id }) => id);
      }),
    /** Last bans and ends of bans after a position, in order. */
    banChanges: (page: BanPage): Promise<BanChanges> => database.run(() => findBanChanges(prisma, page)),
    /** Businesses for operators; one more than `limit` where there are more. */
    search: (search: BusinessSearch): Promise<Business[]> =>
      database.run(() => searchBusinesses(prisma, search)),
    /** Verified businesses of other legal entities with a name that looks like one of these; at most ten. */
    lookalikes: (id: number, names: readonly string[]): Promise<Business[]> =>
      database.run(() => findLookalikes(prisma, id, names)),
    /** Adds missing name keys to businesses of earlier versions, in batches. Resolves to their number. */
    fillNameKeys: (signal: AbortSignal): Promise<number> => fillNameKeys(prisma, database, signal),
    /** Creates a business. A used creation key resolves to the business that it created. */
    create: (draft: BusinessDraft): Promise<CreateOutcome> =>
      database.run(async () => {
        const outcome = await createBusiness(prisma, draft);
        if (outcome.kind === 'created') announce(outcome.business.id);
        return outcome;
      }),
    /** Applies a step while no other change of the business can run; undefined for no such business. */
    change: (author: Author, step: BusinessStep): Promise<ChangeOutcome | undefined> =>
      database.runInTurn(author.businessId, async () => {
        const change = await unlessTaken(() => prisma.$transaction((tx) => changeBusiness(tx, author, step)));
        if (change?.kind === 'changed') announce(author.businessId);
        return change;
      }),
  };
}

async function findBusiness(tx: Prisma.TransactionClient, id: number): Promise<Business | undefined> {
  const row = await tx.business.findUnique({ where: { id } });
  return row === null ? undefined : businessOfRow(row);
}

interface BanPage {
  /** Sequence of the last change before. */
  readonly after: number;
  readonly limit: number;
}

interface BanChanges {
  readonly changes: {
    readonly businessId: number;
    readonly isBanned: boolean;
    readonly sequence: number;
  }[];
  /** Sequence of the last listed change. Without listed changes, that of the last change, at most `after`. */
  readonly lastSequence: number;
}

async function findBanChanges(prisma: PrismaClient, { after, limit }: BanPage): Promise<BanChanges> {
  const rows = await prisma.business.findMany({
    where: { banSequence: { gt: after } },
    orderBy: { banSequence: 'asc' },
    take: limit,
    select: { id: true, isBanned: true, banSequence: true },
  });
  const changes = rows.map(({ id, isBanned, banSequence }) => ({
    businessId: id,
    isBanned,
    sequence: Number(banSequence),
  }));
  const listed = changes.at(-1)?.sequence;
  if (listed !== undefined) return { changes, lastSequence: listed };
  const { _max } = await prisma.business.aggregate({ _max: { banSequence: true } });
  // At most `after`, because a change that was committed between the two statements was not listed.
  return { changes, lastSequence: Math.min(after, Number(_max.banSequence ?? 0)) };
}

const batchSize = 200;

async function fillNameKeys(prisma: PrismaClient, database: Database, signal: AbortSignal): Promise<number> {
  let filled = 0;
  for (let after = 0; !signal.aborted; ) {
    const where = { id: { gt: after }, nameKeys: { isEmpty: true } };
    const rows = await database.run(() =>
      prisma.business.findMany({ where, orderBy: { id: 'asc' }, take: batchSize }),
    );
    for (const { id, accountHolder, legalName } of rows) {
      const nameKeys = keysOf([accountHolder, legalName ?? accountHolder]);
      // A change that came first has written them.
      const empty = { id, nameKeys: { isEmpty: true } };
      await database.run(() => prisma.business.updateMany({ where: empty, data: { nameKeys } }));
      after = id;
    }
    filled += rows.length;
    if (rows.length < batchSize) break;
  }
  return filled;
}

interface BusinessSearch {
  readonly status: VerificationStatus | undefined;
  readonly banned: boolean;
  /** See ListBusinessesRequest; empty for any. */
  readonly text: string;
  readonly limit: number;
}

/** Searches by parts of names, which scans the table, and by other values, which have indexes. */
async function searchBusinesses(
  prisma: PrismaClient,
  { status, banned, text, limit }: BusinessSearch,
): Promise<Business[]> {
  // Escapes `%` and `_`, which Prisma would pass on as wildcards of LIKE.
  const contains = { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
  const id = /^\d{1,9}$/.test(text) ? [{ id: Number(text) }] : [];
  const matches = [
    { accountHolder: contains },
    { legalName: contains },
    { username: contains },
    { uniqueId: text },
    { registrationNumber: text },
    ...id,
  ];
  const rows = await prisma.business.findMany({
    where: {
      isSandbox: false,
      ...(status !== undefined && { verificationStatus: status }),
      ...(banned && { isBanned: true }),
      ...(text !== '' && { OR: matches }),
    },
    orderBy: status === 'pending' ? [{ submittedAt: 'asc' }, { id: 'asc' }] : { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(businessOfRow);
}

const maxLookalikes = 10;

async function findLookalikes(
  prisma: PrismaClient,
  id: number,
  names: readonly string[],
): Promise<Business[]> {
  const own = await findBusiness(prisma, id);
  const { registrationNumber, country } = own?.verification ?? {};
  const rows = await prisma.business.findMany({
    where: {
      isSandbox: false,
      verificationStatus: 'verified',
      nameKeys: { hasSome: keysOf(names) },
      NOT: [{ id }, ...(registrationNumber ? [{ registrationNumber, country: country ?? null }] : [])],
    },
    orderBy: { id: 'asc' },
    take: maxLookalikes,
  });
  return rows.map(businessOfRow);
}

async function createBusiness(prisma: PrismaClient, draft: BusinessDraft): Promise<CreateOutcome> {
  const outcome = await unlessTaken(async (): Promise<CreateOutcome> => {
    const business = await prisma.$transaction((tx) => insertBusiness(tx, draft));
    return { kind: 'created', business };
  });
  const earlier = outcome.kind === 'username_taken' ? await findCreated(prisma, draft) : undefined;
  return earlier === undefined ? outcome : { kind: 'created', business: earlier };
}

/** The result of a write; `username_taken` when another business has the username, or had it before. */
async function unlessTaken<Outcome>(write: () => Promise<Outcome>): Promise<Outcome | UsernameTaken> {
  try {
    return await write();
  } catch (error) {
    const isUniqueViolation = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isUniqueViolation) throw error;
    return { kind: 'username_taken' };
  }
}

/** The business of an earlier call with the same creation key. */
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
    data: {
      ...draft,
      uniqueId: randomId('biz'),
      createdAt: now,
      ...(draft.isSandbox && { verificationStatus: 'verified', decidedAt: now }),
      nameKeys: keysOf([draft.accountHolder]),
      counter: { create: {} },
    },
  });
  const business = businessOfRow(row);
  const sequence = await lockSequence(tx, row.id);
  if (sequence === undefined) throw new Error('a new business has no counter');
  await appendEvent(tx, sequence, { type: 'business.created', payload: businessSnapshot(business) });
  return business;
}

async function changeBusiness(
  tx: Prisma.TransactionClient,
  { businessId: id, credentialId }: Author,
  step: BusinessStep,
): Promise<ChangeOutcome | undefined> {
  const sequence = await lockSequence(tx, id);
  const business = sequence && (await findBusiness(tx, id));
  if (sequence === undefined || business === undefined) return undefined;
  const change = step(business, sequence.now);
  if (change.kind !== 'changed') return { ...change, previous: business };
  await tx.business.update({ where: { id }, data: rowOfBusiness(change.business), select: { id: true } });
  const payload = businessSnapshot(change.business);
  await appendEvent(tx, sequence, { type: change.event, payload, credentialId });
  return { ...change, previous: business };
}
