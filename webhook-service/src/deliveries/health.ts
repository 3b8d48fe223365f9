import { type AttemptResult, isReceiverDown } from '../attempts/result.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';

/** Health of an endpoint, from its attempts. */
export interface Health {
  /** Consecutive attempts in which the receiver was down, as opposed to refusing single events. */
  readonly consecutiveOutages: number;
  /** Whether any attempt has succeeded yet. */
  readonly isProven: boolean;
}

/** Outages in a row after which the circuit opens. */
const openAfter = 5;

const firstPauseMs = 15_000;

const maxPauseMs = 300_000;

/** Health of an endpoint as it is stored. */
export function healthOf(endpoint: Pick<Endpoint, 'consecutiveOutages' | 'lastSuccessAt'>): Health {
  const { consecutiveOutages, lastSuccessAt } = endpoint;
  return { consecutiveOutages, isProven: lastSuccessAt !== null };
}

/** Health after one more attempt. */
export function afterAttempt(
  { consecutiveOutages, isProven }: Health,
  result: Pick<AttemptResult, 'outcome' | 'status'>,
): Health {
  return {
    consecutiveOutages: isReceiverDown(result) ? consecutiveOutages + 1 : 0,
    isProven: isProven || result.outcome === 'delivered',
  };
}

/** Milliseconds for which no attempt starts. Doubles with every outage up to five minutes; undefined while closed. */
export function pauseOf({ consecutiveOutages }: Health): number | undefined {
  if (consecutiveOutages < openAfter) return undefined;
  return Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(consecutiveOutages - openAfter, 10));
}

/**
 * Attempts that may be in flight. Only one while the circuit is half open and before the first success, so that a receiver
 * that never responds occupies one connection.
 */
export function concurrencyOf(health: Health, max: number): number {
  return health.isProven && pauseOf(health) === undefined ? max : 1;
}
