import type { Database } from '@platform/service-kit/database/database.ts';
import { integer, readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import {
  checkCount,
  type DisabledReason,
  type Endpoint,
  type EndpointSettings,
  type Owner,
} from './endpoint.ts';

type Row = Prisma.EndpointGetPayload<object>;

const disabledReason = z.enum(['owner', 'gone', 'failing']).nullable();

/** An endpoint of a row. */
export function endpointOfRow({ businessId, applicationId, ...row }: Row): Endpoint {
  return {
    ...row,
    owner: { businessId: Number(businessId), applicationId },
    disabledReason: disabledReason.parse(row.disabledReason),
  };
}

export interface NewEndpoint extends EndpointSettings {
  readonly id: string;
  readonly owner: Owner;
  readonly sealedSecrets: Uint8Array<ArrayBuffer>;
}

export type EndpointStore = ReturnType<typeof createEndpointStore>;

/** Keeps endpoints in PostgreSQL. Changes resolve to the endpoint afterwards, undefined for none of this owner. */
export function createEndpointStore(prisma: PrismaClient, database: Database) {
  const change = (owner: Owner, id: string, data: Prisma.EndpointUpdateManyMutationInput) =>
    database.run(async (): Promise<Endpoint | undefined> => {
      const [row] = await prisma.endpoint.updateManyAndReturn({ where: { id, ...owner }, data });
      return row && endpointOfRow(row);
    });
  return {
    /** @throws AppError `failed_precondition` when the owner has as many as it may */
    create: (endpoint: NewEndpoint): Promise<Endpoint> =>
      database.run(() => prisma.$transaction((tx) => insertEndpoint(tx, endpoint))),
    find: (owner: Owner, id: string): Promise<Endpoint | undefined> =>
      database.run(async () => {
        const row = await prisma.endpoint.findFirst({ where: { id, ...owner } });
        return row === null ? undefined : endpointOfRow(row);
      }),
    /** Of any owner. */
    findOfAny: (id: string): Promise<Endpoint | undefined> =>
      database.run(async () => {
        const row = await prisma.endpoint.findUnique({ where: { id } });
        return row === null ? undefined : endpointOfRow(row);
      }),
    /** Newest first. */
    list: (owner: Owner): Promise<Endpoint[]> =>
      database.run(async () => {
        const rows = await prisma.endpoint.findMany({
          where: owner,
          orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
        });
        return rows.map(endpointOfRow);
      }),
    /** A new address begins with a closed circuit. */
    update: (owner: Owner, id: string, { events, ...texts }: Partial<EndpointSettings>) =>
      change(owner, id, {
        ...texts,
        ...(events && { events: [...events] }),
        ...(texts.url !== undefined && { consecutiveOutages: 0, pausedUntil: null }),
        updatedAt: new Date(),
      }),
    setSecrets: (owner: Owner, id: string, sealedSecrets: Uint8Array<ArrayBuffer>) =>
      change(owner, id, { sealedSecrets, updatedAt: new Date() }),
    /** Clears the breaker and the count of failures as well. */
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
    /** False when there is none of this owner. */
    remove: (owner: Owner, id: string): Promise<boolean> =>
      database.run(async () => (await prisma.endpoint.deleteMany({ where: { id, ...owner } })).count > 0),
    /** Deliveries in the state pending, by endpoint. */
    countPending: (ids: readonly string[]): Promise<ReadonlyMap<string, number>> =>
      database.run(async () => {
        const statement = prisma.$queryRaw`
          SELECT endpoint_id AS id, count(*) AS count FROM deliveries
          WHERE endpoint_id = ANY(${[...ids]}) AND status = 'pending' GROUP BY endpoint_id`;
        const rows = await readRows(z.object({ id: z.string(), count: integer }), statement);
        return new Map(rows.map(({ id, count }) => [id, count]));
      }),
  };
}

async function insertEndpoint(tx: Prisma.TransactionClient, endpoint: NewEndpoint): Promise<Endpoint> {
  const { id, owner, url, description, events, sealedSecrets } = endpoint;
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${`endpoints of ${owner.businessId} ${owner.applicationId}`}, 0))`;
  checkCount(await tx.endpoint.count({ where: owner }));
  const row = await tx.endpoint.create({
    data: { id, ...owner, url, description, events: [...events], sealedSecrets },
  });
  return endpointOfRow(row);
}
