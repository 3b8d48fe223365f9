import type { components } from '../../generated/dashboard-api.d.ts';

/** Requests of one hour or day by what became of them. */
export interface UsagePoint {
  /** Where the hour begins, in RFC 3339, or the date of the day. */
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

/** The classes from the bottom of a bar to its top. */
export const usageClasses: readonly { readonly name: UsageClass; readonly label: string }[] = [
  { name: 'successful', label: '2xx' },
  { name: 'refused', label: '4xx' },
  { name: 'limited', label: '429' },
  { name: 'failed', label: '5xx' },
];

/** All requests of one hour or day. */
export const totalRequests = (point: UsagePoint): number =>
  point.successful + point.refused + point.limited + point.failed;

const numberFormat = new Intl.NumberFormat('en');

const bucketFormats: Readonly<Record<UsageUnit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }),
  // A date alone is read as midnight in UTC.
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
};

/** An hour or a day, in a few letters. */
export const formatBucket = (at: string, unit: UsageUnit): string => bucketFormats[unit].format(new Date(at));

/** What the chart shows, in a sentence. */
export function describeUsage(points: readonly UsagePoint[], unit: UsageUnit): string {
  const [first, last] = [points.at(0), points.at(-1)];
  const total = points.reduce((sum, point) => sum + totalRequests(point), 0);
  if (first === undefined || last === undefined || total === 0) return 'No requests in this time.';
  const parts = usageClasses.map(({ name, label }) => {
    const sum = points.reduce((before, point) => before + point[name], 0);
    return `${numberFormat.format(sum)} with ${label}`;
  });
  const busiest = points.reduce((best, point) => (totalRequests(point) > totalRequests(best) ? point : best));
  return (
    `${numberFormat.format(total)} requests from ${formatBucket(first.at, unit)} to ${formatBucket(last.at, unit)}: ${parts.join(', ')}. ` +
    `The busiest ${unit} was ${formatBucket(busiest.at, unit)} with ${numberFormat.format(totalRequests(busiest))}.`
  );
}

/** How far a chart looks back. */
export type UsageRange = '24h' | '7d' | '30d' | '90d';

/** The ranges that are offered. */
export const usageRanges: readonly { readonly value: UsageRange; readonly label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
];

const hourMs = 3_600_000;

/** What the server tells at once. */
const longestMs = 90 * 24 * hourMs;

/**
 * The hours of a range, the one of `now` included: the last 24 hours, or as many days as they are where the reader is,
 * today included. Milliseconds since 1970.
 */
export function timeRangeOf(range: UsageRange, now: number): { readonly from: number; readonly to: number } {
  const to = now - (now % hourMs) + hourMs;
  if (range === '24h') return { from: to - 24 * hourMs, to };
  const first = new Date(now);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - Number.parseInt(range, 10) + 1);
  return { from: Math.max(first.getTime(), to - longestMs), to };
}

/** Answers of an hour, as the server counts them. */
export type UsageHour = components['schemas']['UsageHour'];

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
