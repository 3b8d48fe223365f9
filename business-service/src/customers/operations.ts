import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Author } from '../passport.ts';
import type { CustomerStore } from './store.ts';

export interface CustomerDeps {
  readonly customers: CustomerStore;
  readonly logger: Logger;
}

export interface Erasure {
  /** Orders that this call changed. */
  readonly orders: number;
  /** Events that this call rewrote. */
  readonly events: number;
  /** Whether the person is erased everywhere; otherwise the call is to be repeated. */
  readonly isComplete: boolean;
}

/** Milliseconds after which no further batch begins, and after which webhook-service is not waited for: the gateway waits 7.5 s. */
const workMs = 4_500;
const confirmMs = 5_500;

/** Milliseconds between looks for the confirmation of webhook-service. */
const lookMs = 50;

/**
 * Erases the customer with an email address from the orders and events of a business, within seconds. Each batch is a transaction, so
 * the next call goes on where one ended. The log has who did it, and not of whom.
 */
export async function eraseCustomer(
  { customers, logger }: CustomerDeps,
  author: Author,
  email: string,
): Promise<Erasure> {
  const beganAt = performance.now();
  const hasTime = (limitMs: number) => performance.now() - beganAt < limitMs;
  let orders = 0;
  let events = 0;
  let isErased = false;
  do {
    const batch = await customers.eraseSome(author, email);
    orders += batch.orders;
    events += batch.events;
    isErased = batch.isLast;
  } while (!isErased && hasTime(workMs));
  let isComplete = isErased && !(await customers.hasUnconfirmed(author.businessId));
  while (isErased && !isComplete && hasTime(confirmMs)) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    isComplete = !(await customers.hasUnconfirmed(author.businessId));
  }
  const erasure = { orders, events, isComplete };
  logger.info({ ...author, ...erasure }, 'customer erased');
  return erasure;
}
