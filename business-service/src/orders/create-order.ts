import { randomId } from '../random-id.ts';
import { composeOrder } from './compose-order.ts';
import { fingerprint } from './idempotency.ts';
import type { OrderDraft } from './order.ts';
import type { InsertOutcome, OrderStore } from './order-store.ts';

export interface CreateOrderInput {
  readonly businessId: number;
  readonly draft: OrderDraft;
  readonly idempotencyKey: string | undefined;
}

/** Makes an order, or answers as before when the key was used before. @throws AppError */
export function createOrder(orders: OrderStore, input: CreateOrderInput): Promise<InsertOutcome> {
  const { businessId, draft, idempotencyKey: key } = input;
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint(draft) };
  return orders.insert(businessId, idempotency, ({ orderNumber, now }) =>
    composeOrder(draft, { id: randomId('ord'), businessId, number: orderNumber, now }),
  );
}
