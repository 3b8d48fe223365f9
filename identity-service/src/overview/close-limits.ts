import type { Caller } from '../usage/caller.ts';
import type { RollingHourUse } from '../usage/usage-reader.ts';
import type { HourlyLimit } from './overview-reader.ts';

/** Share of a limit from which on it is worth a mention. */
export const closeShare = 0.8;

/** How much of its limit a caller has used. */
export interface LimitUse {
  readonly caller: Caller;
  readonly limit: number;
  readonly used: number;
  readonly left: number;
}

/** Limits that are close to being hit now, the closest first. */
export function closeLimits(
  limits: readonly HourlyLimit[],
  hours: readonly RollingHourUse[],
  callers: readonly Caller[],
): LimitUse[] {
  const used = new Map(hours.map((hour) => [hour.limitId, hour.used]));
  const byLimitId = new Map(callers.map((caller) => [caller.limitId, caller]));
  return limits
    .flatMap(({ limitId, limit }): LimitUse[] => {
      const [caller, now] = [byLimitId.get(limitId), used.get(limitId) ?? 0];
      if (caller === undefined || now < closeShare * limit) return [];
      return [{ caller, limit, used: now, left: Math.max(0, limit - now) }];
    })
    .sort((a, b) => b.used / b.limit - a.used / a.limit);
}
