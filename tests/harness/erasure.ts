import type { HttpResponse } from './http-request.ts';
import type { Platform } from './platform.ts';

/** The customer of an order whose person was erased. */
export const erasedCustomer = { name: 'Erased customer', email: null };

/** Sends DELETE /v2/customers until the erasure is complete; resolves to the last response, with the sums of all. */
export async function eraseCustomer(
  platform: Pick<Platform, 'request'>,
  key: string,
  email: string,
  maxRequests = 100,
): Promise<{ readonly response: HttpResponse; readonly orders: number; readonly events: number }> {
  const path = `/v2/customers?email=${encodeURIComponent(email)}`;
  let orders = 0;
  let events = 0;
  for (let sent = 1; ; sent++) {
    const response = await platform.request(0, 'DELETE', path, { key });
    if (response.status !== 200 && response.status !== 202) throw new Error(response.text);
    const erased = response.json() as { orders: number; events: number };
    orders += erased.orders;
    events += erased.events;
    if (response.status === 200 || sent === maxRequests) return { response, orders, events };
  }
}
