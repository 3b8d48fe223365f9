import type { Database } from '@platform/service-kit/database.ts';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import type { Instant } from '../instant.ts';
import type { OrderChange } from '../orders/change-order.ts';
import type { Order } from '../orders/order.ts';
import type { OrderQuery } from '../orders/order-query.ts';
import { orderResource } from '../orders/order-resource.ts';
import type { OrderStore } from '../orders/order-store.ts';
import { insertOrder } from './insert-order.ts';
import { orderOfRow, rowOfOrder } from './order-row.ts';
import { spendTurn, takeTurn } from './turn.ts';

export function createOrderStore(prisma: PrismaClient, database: Database): OrderStore {
  return {
    find: (businessId, id) => database.run(() => findOrder(prisma, businessId, id)),
    list: (businessId, query) => database.run(() => listOrders(prisma, businessId, query)),
    insert: (businessId, idempotency, compose) =>
      database.run(() => prisma.$transaction((tx) => insertOrder(tx, businessId, idempotency, compose))),
    change: (businessId, id, decide) =>
      database.run(() => prisma.$transaction((tx) => changeOrder(tx, businessId, id, decide))),
  };
}

async function findOrder(
  tx: Prisma.TransactionClient,
  businessId: number,
  id: string,
): Promise<Order | undefined> {
  const row = await tx.order.findUnique({ where: { id, businessId } });
  return row === null ? undefined : orderOfRow(row);
}

async function listOrders(prisma: PrismaClient, businessId: number, query: OrderQuery): Promise<Order[]> {
  const { limit, belowNumber, status, createdFrom, createdTo } = query;
  const rows = await prisma.order.findMany({
    where: {
      businessId,
      ...(status !== undefined && { status }),
      ...(belowNumber !== undefined && { number: { lt: belowNumber } }),
      createdAt: {
        ...(createdFrom !== undefined && { gte: createdFrom }),
        ...(createdTo !== undefined && { lt: createdTo }),
      },
    },
    orderBy: { number: 'desc' },
    take: limit + 1,
  });
  return rows.map(orderOfRow);
}

async function changeOrder(
  tx: Prisma.TransactionClient,
  businessId: number,
  id: string,
  decide: (order: Order, now: Instant) => OrderChange,
): Promise<OrderChange | undefined> {
  const turn = await takeTurn(tx, businessId);
  const order = turn && (await findOrder(tx, businessId, id));
  if (turn === undefined || order === undefined) return undefined;
  const change = decide(order, turn.now);
  if (change.kind !== 'changed') return change;
  await tx.order.update({ where: { id }, data: rowOfOrder(change.order), select: { id: true } });
  await spendTurn(tx, turn, { type: change.event, payload: orderResource(change.order) });
  return change;
}
