import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import type { Order } from '../orders/order.ts';

type Row = Prisma.OrderGetPayload<object>;

// What the JSON columns hold. A row that does not fit was not written by this service.
const lineItems = z.array(
  z.object({ name: z.string(), sku: z.string().nullable(), quantity: z.int(), unitAmount: z.int() }),
);
const customer = z.object({ name: z.string(), email: z.string().nullable() });
const metadata = z.record(z.string(), z.string());

export function orderOfRow(row: Row): Order {
  return {
    ...row,
    number: Number(row.number),
    total: Number(row.total),
    lineItems: lineItems.parse(row.lineItems),
    customer: customer.parse(row.customer),
    metadata: metadata.parse(row.metadata),
  };
}

export function rowOfOrder(order: Order) {
  return {
    ...order,
    lineItems: order.lineItems.map((item) => ({ ...item })),
    customer: { ...order.customer },
    metadata: { ...order.metadata },
  };
}
