import type { Caller } from '../usage/caller.ts';
import type { UsagePoint } from '../usage/usage-reader.ts';

/** Requests of one caller, and what became of them. */
export interface CallerUse {
  readonly caller: Caller;
  readonly requests: number;
  /** Answers 400 to 499. */
  readonly refused: number;
  /** Answers 500 and above. */
  readonly failed: number;
}

/** Callers with the most requests, the busiest first. One that was connected anew is the same application. */
export function busiestCallers(
  points: readonly UsagePoint[],
  callers: readonly Caller[],
  max: number,
): CallerUse[] {
  const byLimitId = new Map(callers.map((caller) => [caller.limitId, caller]));
  const uses = new Map<string, CallerUse>();
  for (const point of points) {
    const caller = byLimitId.get(point.limitId);
    if (caller !== undefined) uses.set(caller.id, add(uses.get(caller.id), caller, point));
  }
  return [...uses.values()]
    .sort((a, b) => b.requests - a.requests || (a.caller.id < b.caller.id ? -1 : 1))
    .slice(0, max);
}

function add(before: CallerUse | undefined, caller: Caller, point: UsagePoint): CallerUse {
  const { count2xx, count4xx, count429, count5xx } = point;
  return {
    caller: before?.caller.exists ? before.caller : caller,
    requests: (before?.requests ?? 0) + count2xx + count4xx + count429 + count5xx,
    refused: (before?.refused ?? 0) + count4xx + count429,
    failed: (before?.failed ?? 0) + count5xx,
  };
}
