import { type AttemptResult, isReceiverDown } from '../attempts/result.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';

/** What the attempts of a turn say about an endpoint. */
export interface Health {
  /** Failed attempts since the last success. */
  readonly consecutiveFailures: number;
  /** The same, of a receiver that is in trouble, rather than that it refuses single events. */
  readonly consecutiveOutages: number;
}

/** Failures in a row after which the circuit opens. */
const openAfter = 5;

const firstPauseMs = 15_000;

const maxPauseMs = 300_000;

/** Health of an endpoint as a turn finds it. */
export function healthOf({
  consecutiveFailures,
  pausedUntil,
}: Pick<Endpoint, 'consecutiveFailures' | 'pausedUntil'>): Health {
  // A circuit that was open is half open now: the next outage opens it again, for longer.
  return {
    consecutiveFailures,
    consecutiveOutages: pausedUntil === null ? 0 : Math.max(openAfter, consecutiveFailures),
  };
}

/** Health after one more attempt. */
export function afterAttempt(health: Health, result: Pick<AttemptResult, 'outcome' | 'status'>): Health {
  if (result.outcome === 'delivered') return { consecutiveFailures: 0, consecutiveOutages: 0 };
  return {
    consecutiveFailures: health.consecutiveFailures + 1,
    consecutiveOutages: isReceiverDown(result) ? health.consecutiveOutages + 1 : 0,
  };
}

/** Milliseconds for which no attempt starts: doubled with every outage, up to five minutes. Undefined while closed. */
export function pauseOf({ consecutiveOutages }: Health): number | undefined {
  if (consecutiveOutages < openAfter) return undefined;
  return Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(consecutiveOutages - openAfter, 10));
}

/** Attempts that may be in flight: one while the circuit is half open, or an outage away from opening. */
export function concurrencyOf(health: Health, max: number): number {
  return pauseOf(health) === undefined ? max : 1;
}
