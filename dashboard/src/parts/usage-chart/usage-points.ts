import type { components } from '../../generated/dashboard-api.d.ts';
import type { UsagePoint } from './usage-point.ts';

/** Answers of an hour, as the server counts them. */
export type UsageHour = components['schemas']['UsageHour'];

const hourMs = 3_600_000;

/** Hours of a chart: from the one in which `from` is to the one before `to`, without gaps. Milliseconds since 1970. */
export function hourlyPoints(hours: readonly UsageHour[], from: number, to: number): UsagePoint[] {
  const counted = new Map(hours.map((hour) => [Date.parse(hour.start), hour]));
  const points: UsagePoint[] = [];
  for (let start = from - (from % hourMs); start < to; start += hourMs) {
    const hour = counted.get(start);
    points.push({
      at: new Date(start).toISOString(),
      successful: hour?.count2xx ?? 0,
      refused: hour?.count4xx ?? 0,
      limited: hour?.count429 ?? 0,
      failed: hour?.count5xx ?? 0,
    });
  }
  return points;
}

/**
 * The same by the days of a time zone, the reader's where none is given. An hour belongs to the day in which it begins;
 * `at` is the date alone.
 */
export function dailyPoints(
  hours: readonly UsageHour[],
  from: number,
  to: number,
  timeZone?: string,
): UsagePoint[] {
  const dateOf = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone });
  const byDay = Map.groupBy(hourlyPoints(hours, from, to), ({ at }) => dateOf.format(Date.parse(at)));
  return [...byDay].map(([at, points]) => ({
    at,
    successful: sum(points, 'successful'),
    refused: sum(points, 'refused'),
    limited: sum(points, 'limited'),
    failed: sum(points, 'failed'),
  }));
}

function sum(points: readonly UsagePoint[], name: Exclude<keyof UsagePoint, 'at'>): number {
  return points.reduce((total, point) => total + point[name], 0);
}
