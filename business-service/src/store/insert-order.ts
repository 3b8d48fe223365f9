import { AppError } from '@platform/service-kit/app-error.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import { type Idempotency, isForgotten } from '../orders/idempotency.ts';
import type { Order } from '../orders/order.ts';
import { type OrderResource, orderResource } from '../orders/order-resource.ts';
import type { InsertOutcome, Turn } from '../orders/order-store.ts';
import { rowOfOrder } from './order-row.ts';
import { type HeldTurn, spendTurn, takeTurn } from './turn.ts';

// The column holds what orderResource made when the key was first used.
const storedResource = z.custom<OrderResource>((value) => typeof value === 'object' && value !== null);

/**
 * Inserts an order, or answers as before when its key was used before. The turn keeps requests with the same key
 * apart, so exactly one of them inserts.
 * @throws AppError `not_found` when there is no such business
 */
export async function insertOrder(
  tx: Prisma.TransactionClient,
  businessId: number,
  idempotency: Idempotency | undefined,
  compose: (turn: Turn) => Order,
): Promise<InsertOutcome> {
  const turn = await takeTurn(tx, businessId);
  if (turn === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const before = idempotency && (await recall(tx, turn, idempotency));
  if (before !== undefined) return before;
  const order = compose(turn);
  const resource = orderResource(order);
  await tx.order.create({ data: rowOfOrder(order), select: { id: true } });
  await spendTurn(tx, turn, { type: 'order.created', payload: resource });
  if (idempotency !== undefined) await remember(tx, turn, idempotency, resource);
  return { kind: 'created', resource };
}

async function recall(
  tx: Prisma.TransactionClient,
  { businessId, now }: HeldTurn,
  { key, fingerprint }: Idempotency,
): Promise<InsertOutcome | undefined> {
  const row = await tx.idempotencyKey.findUnique({ where: { businessId_key: { businessId, key } } });
  if (row === null || isForgotten(row.createdAt, now)) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'key_reused' };
  return { kind: 'replayed', resource: storedResource.parse(row.response) };
}

async function remember(
  tx: Prisma.TransactionClient,
  { businessId, now }: HeldTurn,
  { key, fingerprint }: Idempotency,
  response: OrderResource,
): Promise<void> {
  const content = { fingerprint, response, createdAt: now };
  await tx.idempotencyKey.upsert({
    where: { businessId_key: { businessId, key } },
    create: { businessId, key, ...content },
    update: content,
    select: { key: true },
  });
}
