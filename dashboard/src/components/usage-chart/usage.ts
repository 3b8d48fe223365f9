import type { components } from '../../generated/dashboard-api.d.ts';
import { formatNumber } from '../format.ts';

/** Requests of one hour or day by status class. */
export interface UsagePoint {
  /** Start of the hour in RFC 3339, or the date. */
  readonly at: string;
  /** 2xx and 3xx. */
  readonly successful: number;
  /** 4xx, without 429. */
  readonly refused: number;
  /** 429. */
  readonly limited: number;
  /** 5xx. */
  readonly failed: number;
}

export type UsageClass = Exclude<keyof UsagePoint, 'at'>;

export type UsageUnit = 'hour' | 'day';

/** Status classes from the bottom of a bar to its top. */
export const usageClasses: readonly { readonly name: UsageClass; readonly label: string }[] = [
  { name: 'successful', label: '2xx' },
  { name: 'refused', label: '4xx' },
  { name: 'limited', label: '429' },
  { name: 'failed', label: '5xx' },
];

export const totalRequests = (point: UsagePoint): number =>
  point.successful + point.refused + point.limited + point.failed;

const bucketFormats: Readonly<Record<UsageUnit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }),
  // Date-only strings are parsed as UTC.
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
};

/** Short label of an hour or day. */
export const formatBucket = (at: string, unit: UsageUnit): string => bucketFormats[unit].format(new Date(at));

/** Text alternative of the chart. */
export function describeUsage(points: readonly UsagePoint[], unit: UsageUnit): string {
  const [first, last] = [points.at(0), points.at(-1)];
  const total = points.reduce((sum, point) => sum + totalRequests(point), 0);
  if (first === undefined || last === undefined || total === 0) return 'No requests in this period.';
  const parts = usageClasses.map(({ name, label }) => {
    const sum = points.reduce((before, point) => before + point[name], 0);
    return `${formatNumber(sum)} with ${label}`;
  });
  const busiest = points.reduce((best, point) => (totalRequests(point) > totalRequests(best) ? point : best));
  return (
    `${formatNumber(total)} requests from ${formatBucket(first.at, unit)} to ${formatBucket(last.at, unit)}: ${parts.join(', ')}. ` +
    `The busiest ${unit} was ${formatBucket(busiest.at, unit)} with ${formatNumber(totalRequests(busiest))}.`
  );
}

export type UsageRange = '24h' | '7d' | '30d' | '90d';

/** Selectable ranges. */
export const usageRanges: readonly { readonly value: UsageRange; readonly label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
];

const hourMs = 3_600_000;

/** The longest range of one request. */
const longestMs = 90 * 24 * hourMs;

/**
 * Start and end of a range that ends with the current hour, in ms since 1970: since the hour 24 hours ago, or local days
 * including today.
 */
export function timeRangeOf(range: UsageRange, now: number): { readonly from: number; readonly to: number } {
  const to = now - (now % hourMs) + hourMs;
  if (range === '24h') return { from: to - 25 * hourMs, to };
  const first = new Date(now);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - Number.parseInt(range, 10) + 1);
  return { from: Math.max(first.getTime(), to - longestMs), to };
}

/** Requests of one hour by status, from the API. */
export type UsageHour = components['schemas']['UsageHour'];

/** The points of a chart in its unit. Times in ms since 1970. */
export function usagePoints(
  hours: readonly UsageHour[],
  { from, to, unit }: { readonly from: number; readonly to: number; readonly unit: UsageUnit },
): UsagePoint[] {
  return unit === 'hour' ? hourlyPoints(hours, from, to) : dailyPoints(hours, from, to);
}

/**
 * One point for each hour that begins between `from` and `to`, without gaps. Times in ms since 1970. In time zones with an
 * offset of half an hour, the hour around `from` belongs to the previous day.
 */
export function hourlyPoints(hours: readonly UsageHour[], from: number, to: number): UsagePoint[] {
  const counted = new Map(hours.map((hour) => [Date.parse(hour.start), hour]));
  const points: UsagePoint[] = [];
  for (let start = Math.ceil(from / hourMs) * hourMs; start < to; start += hourMs) {
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
 * One point per day of a time zone, the local one by default. An hour belongs to the day in which it starts.
 */
export function dailyPoints(
  hours: readonly UsageHour[],
  from: number,
  to: number,
  timeZone?: string,
): UsagePoint[] {
  const toDateInput = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone });
  const byDay = Map.groupBy(hourlyPoints(hours, from, to), ({ at }) => toDateInput.format(Date.parse(at)));
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
