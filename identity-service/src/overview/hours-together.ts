import type { UsageHour, UsagePoint } from '../usage/usage-reader.ts';

/** The hours of all callers together, oldest first. @param points oldest first */
export function hoursTogether(points: readonly UsagePoint[]): UsageHour[] {
  const hours = new Map<number, UsageHour>();
  for (const { start, count2xx, count4xx, count429, count5xx } of points) {
    const before = hours.get(start);
    hours.set(start, {
      start,
      count2xx: (before?.count2xx ?? 0) + count2xx,
      count4xx: (before?.count4xx ?? 0) + count4xx,
      count429: (before?.count429 ?? 0) + count429,
      count5xx: (before?.count5xx ?? 0) + count5xx,
    });
  }
  return [...hours.values()];
}
