import { LRUCache } from 'lru-cache';

/*
 * A circuit breaker per endpoint, in the memory of one process. Its state is expressed as attempts that an endpoint may
 * have in flight, which is all that the turns need: 0 while open, 1 half-open, and 1 as well until the first success, so
 * that receivers that never respond hold one slot each and not five.
 */

/** State of an endpoint's circuit. */
export type Circuit = 'closed' | 'open' | 'half-open';

interface Health {
  /** Failures since the last success. */
  readonly failures: number;
  readonly hasSucceeded: boolean;
  /** Times that the circuit opened since the last success. */
  readonly openings: number;
  /** Unix time in milliseconds until which no attempt begins. */
  readonly openUntil: number;
}

const unknown: Health = { failures: 0, hasSucceeded: false, openings: 0, openUntil: 0 };

/** Failures in a row that open the circuit. */
const failuresToOpen = 5;

/** Milliseconds of the first opening; each further one lasts twice as long, up to the maximum. */
const firstOpenMs = 10_000;
const maxOpenMs = 5 * 60_000;

/** Attempts of a healthy endpoint in flight. */
const healthyLimit = 5;

/** Endpoints remembered; one that is forgotten begins as unknown. */
const maxEndpoints = 50_000;

export class Breakers {
  readonly #health = new LRUCache<string, Health>({ max: maxEndpoints });

  /** Attempts that an endpoint may have in flight at `now` (Unix time in milliseconds). */
  limit(endpointId: string, now: number): number {
    const health = this.#health.get(endpointId) ?? unknown;
    if (now < health.openUntil) return 0;
    return health.hasSucceeded && health.failures === 0 ? healthyLimit : 1;
  }

  /** When the circuit of an endpoint half-opens; undefined while it is not open. */
  openUntil(endpointId: string, now: number): number | undefined {
    const { openUntil } = this.#health.get(endpointId) ?? unknown;
    return now < openUntil ? openUntil : undefined;
  }

  /** Counts a result: an attempt that was cancelled is none. Attempts that began before an opening do not prolong it. */
  record(endpointId: string, isDown: boolean, now: number): void {
    const health = this.#health.get(endpointId) ?? unknown;
    if (!isDown) this.#health.set(endpointId, { ...unknown, hasSucceeded: true });
    else if (now >= health.openUntil) this.#health.set(endpointId, afterFailure(health, now));
  }

  /** Forgets an endpoint: its URL has changed, or its owner has enabled it again. */
  reset(endpointId: string): void {
    this.#health.delete(endpointId);
  }

  /** Endpoints by state, for metrics; those without failures are not told apart from those never seen. */
  counts(now: number): Readonly<Record<Exclude<Circuit, 'closed'>, number>> {
    const states = [...this.#health.values()].map((health) => circuitOf(health, now));
    const count = (state: Circuit) => states.filter((it) => it === state).length;
    return { open: count('open'), 'half-open': count('half-open') };
  }
}

function circuitOf({ openUntil, openings }: Health, now: number): Circuit {
  if (now < openUntil) return 'open';
  return openings > 0 ? 'half-open' : 'closed';
}

function afterFailure(health: Health, now: number): Health {
  const failures = health.failures + 1;
  // One failed probe of a half-open circuit opens it again.
  if (health.openings === 0 && failures < failuresToOpen) return { ...health, failures };
  const openMs = Math.min(firstOpenMs * 2 ** health.openings, maxOpenMs);
  return { ...health, failures, openings: health.openings + 1, openUntil: now + openMs };
}
