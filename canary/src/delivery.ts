import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Replica, unexpected } from './gateways.ts';
import type { Delivery, Receiver } from './receiver.ts';
import type { Checked, Violation } from './results.ts';

const orderList = z.object({ data: z.array(z.object({ id: z.string() })) });

const order = z.object({ id: z.string() });

const newOrder = {
  currency: 'EUR',
  line_items: [{ name: 'Canary', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Canary', email: 'canary@example.com' },
};

/** The order that each round changes: the latest of the business, or a new one. @throws when there is none */
export async function findOrder(replica: Replica, bearer: string): Promise<string> {
  const found = await replica.send({ method: 'GET', path: '/v2/order?limit=1', bearer });
  if (found.status !== 200) throw unexpected(replica, 'did not list orders', found);
  const [last] = orderList.parse(JSON.parse(found.text)).data;
  if (last !== undefined) return last.id;
  const made = await replica.send({ method: 'POST', path: '/v2/order', bearer, body: newOrder });
  if (made.status !== 201) throw unexpected(replica, 'did not create an order', made);
  return order.parse(JSON.parse(made.text)).id;
}

interface DeliveryRound {
  readonly receiver: Pick<Receiver, 'awaitEvent'>;
  /** Gateway at which the order is changed. */
  readonly replica: Replica;
  readonly orderId: string;
  readonly bearer: string;
  /** Milliseconds after which a delivery is late. */
  readonly withinMs: number;
}

/** Changes an order, and waits for the delivery of that event. @throws when the order is not changed */
export async function measureDelivery(round: DeliveryRound): Promise<Checked> {
  const { receiver, replica, orderId, bearer, withinMs } = round;
  const nonce = randomBytes(16).toString('hex');
  const path = `/v2/order/${orderId}`;
  const awaited = receiver.awaitEvent(nonce, withinMs);
  const changed = await replica.send({
    method: 'PATCH',
    path,
    bearer,
    body: { metadata: { canary: nonce } },
  });
  if (changed.status !== 200) throw unexpected(replica, 'did not change an order', changed);
  const deliveries = await awaited;
  const verified = deliveries.find(({ error }) => error === undefined);
  const late = `changed an order whose event was not delivered within ${withinMs} ms`;
  return {
    measured: verified
      ? [{ promise: 'webhook', replica: replica.name, ms: verified.at - changed.startedAt }]
      : [],
    violations: [
      ...deliveries.flatMap((delivery) => refused(replica, delivery)),
      ...(verified ? [] : [violation(replica, changed.requestId, late)]),
    ],
  };
}

function refused(replica: Replica, { id, error }: Delivery): Violation[] {
  if (error === undefined) return [];
  return [violation(replica, id, `changed an order whose event was delivered ${error}`)];
}

const violation = ({ name }: Replica, requestId: string, what: string): Violation => ({
  promise: 'webhook',
  replica: name,
  requestId,
  what,
});
