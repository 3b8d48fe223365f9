import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import {
  checkCount,
  type DisabledReason,
  type Endpoint,
  type EndpointSettings,
  maxCounted,
  noOwner,
  type Owner,
} from './endpoint.ts';

type Row = Prisma.EndpointGetPayload<object>;

const disabledReason = z.enum(['owner', 'gone', 'failing']).nullable();

/** An endpoint of a row. */
export function endpointOfRow(row: Row): Endpoint {
  const {
    businessId,
    applicationId,
    warnedStep: _,
    warnedSince: __,
    warnAfter: ___,
    checkingUntil: ____,
    lastFailureAt: _____,
    ...rest
  } = row;
  return {
    ...rest,
    owner: { businessId: Number(businessId), applicationId },
    disabledReason: disabledReason.parse(row.disabledReason),
  };
}

const orUndefined = (row: Row | null) => (row === null ? undefined : endpointOfRow(row));

const activityRow = z.object({
  id: z.string(),
  pending: integer,
  nextDueAt: z.date().nullable(),
  recentAttempts: z.int(),
  recentSuccesses: z.int(),
  recentP95Ms: z.int(),
  lastOutcome: z.string().nullable(),
  lastStatus: z.int().nullable(),
  recoverySince: z.date().nullable(),
  recoveredAt: z.date().nullable(),
  recoveryTotal: z.int().nullable(),
  recoverySent: z.int().nullable(),
});

/** Pending deliveries of an endpoint, results of attempts for its latest 100 deliveries, and its last recovery. */
export type Activity = Omit<z.output<typeof activityRow>, 'id'>;

export interface NewEndpoint extends EndpointSettings, Pick<Endpoint, 'madeBy'> {
  readonly id: string;
  readonly owner: Owner;
  readonly sealedSecrets: Uint8Array<ArrayBuffer>;
}

/** Health of a receiver before the first attempt. */
const unknownHealth = { failingSince: null, lastSuccessAt: null, consecutiveOutages: 0, pausedUntil: null };

type SealedEndpoint = Pick<Endpoint, 'owner' | 'id' | 'sealedSecrets'>;

export type EndpointStore = ReturnType<typeof createEndpointStore>;

/** Keeps endpoints in PostgreSQL. Changes resolve to the endpoint afterwards, undefined for none of this owner. */
export function createEndpointStore(prisma: PrismaClient, database: Database) {
  const change = (owner: Owner, id: string, data: Prisma.EndpointUpdateManyMutationInput) =>
    database.run(() => changeOne(prisma, { id, ...owner }, data));
  return {
    /** @throws AppError `failed_precondition` when the owner has as many as it may */
    create: (endpoint: NewEndpoint): Promise<Endpoint> =>
      database.run(() => prisma.$transaction((tx) => insertEndpoint(tx, endpoint))),
    find: (owner: Owner, id: string): Promise<Endpoint | undefined> =>
      database.run(async () => orUndefined(await prisma.endpoint.findFirst({ where: { id, ...owner } }))),
    /** Of any owner. */
    findOfAny: (id: string): Promise<Endpoint | undefined> =>
      database.run(async () =>
        orUndefined(await prisma.endpoint.findUnique({ where: { id, NOT: noOwner } })),
      ),
    /** Newest first. */
    list: (owner: Owner): Promise<Endpoint[]> =>
      database.run(async () => {
        const rows = await prisma.endpoint.findMany({
          where: owner,
          orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
        });
        return rows.map(endpointOfRow);
      }),
    /** Changes settings. A new URL starts with unknown health, because the health of the old one says nothing about it. */
    update: (
      owner: Owner,
      id: string,
      { events, ...texts }: Partial<EndpointSettings & Pick<Endpoint, 'madeBy'>>,
    ) =>
      change(owner, id, {
        ...texts,
        ...(events && { events: [...events] }),
        ...(texts.url !== undefined && unknownHealth),
        updatedAt: new Date(),
      }),
    /** Replaces the secrets that were read; undefined when they have changed since, or the endpoint was deleted. */
    replaceSecrets: ({ owner, id, sealedSecrets }: SealedEndpoint, next: Uint8Array<ArrayBuffer>) =>
      database.run(() => {
        const data = { sealedSecrets: next, updatedAt: new Date() };
        return changeOne(prisma, { id, ...owner, sealedSecrets }, data);
      }),
    /** Enables an endpoint. Also resets the circuit breaker and the count of failures. */
    enable: (owner: Owner, id: string) =>
      change(owner, id, {
        enabled: true,
        disabledReason: null,
        disabledAt: null,
        failingSince: null,
        consecutiveOutages: 0,
        pausedUntil: null,
      }),
    disable: (owner: Owner, id: string, reason: DisabledReason) =>
      change(owner, id, { enabled: false, disabledReason: reason, disabledAt: new Date() }),
    /** Disables an endpoint and takes it from its owner; false when there is none of this owner. */
    markDeleted: async (owner: Owner, id: string): Promise<boolean> => {
      return (await change(owner, id, deletion())) !== undefined;
    },
    /** Endpoints that a person made, of a business and of its applications, newest first. */
    listMade: (businessId: number, madeBy: string): Promise<Endpoint[]> =>
      database.run(() => selectMade(prisma, { businessId, madeBy })),
    /** Deletes endpoints as `markDeleted` does, and gives kept ones to another person. Resolves to the deleted ones. */
    endMade: (ending: EndMade): Promise<Endpoint[]> =>
      database.run(() => prisma.$transaction((tx) => endMade(tx, ending))),
    /** Versions of endpoints and deliveries of owners, in their order. */
    versions: (owners: readonly Owner[]): Promise<string[]> =>
      database.run(async () => {
        const rows = await readRows(z.object({ version: z.string() }), selectVersions(prisma, owners));
        return rows.map(({ version }) => version);
      }),
    /** Deliveries that wait for endpoints, and how their latest attempts went. */
    activity: (ids: readonly string[]): Promise<ReadonlyMap<string, Activity>> =>
      database.run(async () => {
        const rows = await readRows(activityRow, selectActivity(prisma, ids));
        return new Map(rows.map(({ id, ...activity }) => [id, activity]));
      }),
  };
}

/** Columns of an endpoint that waits for the deletion of its deliveries. */
const deletion = () => ({
  enabled: false,
  disabledReason: 'owner',
  disabledAt: new Date(),
  ...noOwner,
});

interface EndMade {
  readonly businessId: number;
  readonly madeBy: string;
  readonly keptIds: readonly string[];
  readonly keptBy: string;
}

async function selectMade(
  client: Prisma.TransactionClient,
  where: Pick<EndMade, 'businessId' | 'madeBy'>,
): Promise<Endpoint[]> {
  const orderBy = [{ createdAt: 'desc' as const }, { id: 'asc' as const }];
  return (await client.endpoint.findMany({ where, orderBy })).map(endpointOfRow);
}

async function endMade(
  tx: Prisma.TransactionClient,
  { keptIds, keptBy, ...of }: EndMade,
): Promise<Endpoint[]> {
  await tx.endpoint.updateMany({ where: { ...of, id: { in: [...keptIds] } }, data: { madeBy: keptBy } });
  const ended = await selectMade(tx, of);
  await tx.endpoint.updateMany({ where: { id: { in: ended.map(({ id }) => id) } }, data: deletion() });
  return ended;
}

async function changeOne(
  prisma: PrismaClient,
  where: Prisma.EndpointWhereInput,
  data: Prisma.EndpointUpdateManyMutationInput,
): Promise<Endpoint | undefined> {
  const [row] = await prisma.endpoint.updateManyAndReturn({ where, data });
  return row && endpointOfRow(row);
}

/** Number of attempted deliveries that are evaluated, and of deliveries that are searched for them. */
const [recentDeliveries, recentAmong] = [100, 1_000];

function selectActivity(prisma: PrismaClient, ids: readonly string[]) {
  return prisma.$queryRaw`
    SELECT e.id, waiting.pending, next."nextDueAt", recent.*, recovery.since AS "recoverySince",
      recovery.created_at AS "recoveredAt", recovery.total AS "recoveryTotal",
      recovery.requeued - (SELECT count(*)::int FROM deliveries WHERE recovery_id = recovery.id AND recovery_id IS NOT NULL
        AND status = 'pending' AND round = 0) AS "recoverySent"
    FROM unnest(${[...ids]}::text[]) AS e (id),
    LATERAL (SELECT count(*) AS pending FROM (SELECT FROM deliveries
      WHERE endpoint_id = e.id AND status = 'pending' LIMIT ${maxCounted}) AS counted) AS waiting,
    LATERAL (SELECT min(next_attempt_at) AS "nextDueAt" FROM deliveries
      WHERE endpoint_id = e.id AND status = 'pending') AS next,
    LATERAL (SELECT count(*)::int AS "recentAttempts",
        (count(*) FILTER (WHERE a.outcome = 'delivered'))::int AS "recentSuccesses",
        coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms), 0) AS "recentP95Ms",
        (array_agg(a.outcome ORDER BY a.started_at DESC))[1] AS "lastOutcome",
        (array_agg(a.status ORDER BY a.started_at DESC))[1] AS "lastStatus"
      FROM (SELECT id FROM (SELECT id, attempts FROM deliveries WHERE endpoint_id = e.id
          ORDER BY created_at DESC, id LIMIT ${recentAmong}) AS latest
        WHERE attempts > 0 LIMIT ${recentDeliveries}) AS d JOIN attempts a ON a.delivery_id = d.id) AS recent
    LEFT JOIN LATERAL (SELECT * FROM recoveries WHERE endpoint_id = e.id
      AND created_at > clock_timestamp() - interval '1 day' ORDER BY created_at DESC LIMIT 1) AS recovery ON true`;
}

/** A version consists of each endpoint's row, which changes with every result, its newest delivery and its next attempt. */
function selectVersions(prisma: PrismaClient, owners: readonly Owner[]) {
  return prisma.$queryRaw`
    SELECT coalesce(string_agg(concat_ws(' ', e.id, e.xmin, newest.id, waiting.due), ',' ORDER BY e.id), '') AS version
    FROM json_to_recordset(${JSON.stringify(owners.map((owner, position) => ({ ...owner, position })))}::json)
      AS o ("businessId" bigint, "applicationId" text, position int)
    LEFT JOIN endpoints e ON e.business_id = o."businessId" AND e.application_id = o."applicationId"
    LEFT JOIN LATERAL (SELECT id FROM deliveries WHERE endpoint_id = e.id
      ORDER BY created_at DESC, id LIMIT 1) AS newest ON true
    LEFT JOIN LATERAL (SELECT min(next_attempt_at) AS due FROM deliveries
      WHERE endpoint_id = e.id AND status = 'pending') AS waiting ON true
    GROUP BY o.position ORDER BY o.position`;
}

async function insertEndpoint(tx: Prisma.TransactionClient, endpoint: NewEndpoint): Promise<Endpoint> {
  const { owner, events, ...rest } = endpoint;
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${`endpoints of ${owner.businessId} ${owner.applicationId}`}, 0))`;
  checkCount(await tx.endpoint.count({ where: owner }));
  const row = await tx.endpoint.create({
    data: { ...rest, ...owner, events: [...events] },
  });
  return endpointOfRow(row);
}
