const dayMs = 86_400_000;

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * dayMs],
  ['month', 30 * dayMs],
  ['week', 7 * dayMs],
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Time by which the server's clock may be ahead of the browser's. What is due within it may already have happened. */
const nowMs = 10_000;

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time relative to now in its largest unit: "3 days ago", "in 2 hours". Both in ms since 1970. */
export function formatRelativeTime(at: number, now: number): string {
  const distance = at - now;
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) {
    if (distance <= 0) return 'just now';
    return distance < nowMs ? 'now' : 'in less than a minute';
  }
  const [name, length] = unit;
  return relativeFormat.format(Math.trunc(roundAhead(distance, length) / length), name);
}

/** A future distance in whole units of at most a day, rounded so that seven days are still seven a minute later. */
function roundAhead(distance: number, length: number): number {
  const step = Math.min(length, dayMs);
  return distance > 0 ? Math.round(distance / step) * step : distance;
}

const numberFormat = new Intl.NumberFormat('en');

/** 9,870 */
export const formatNumber = (value: number): string => numberFormat.format(value);

/** Digits, or groups of three between separators of one kind. */
const count = /^(?:\d+|[1-9]\d{0,2}([\s,.'’])\d{3}(?:\1\d{3})*)$/;

/** The whole number that a person typed: "10000", "10,000", "10.000". NaN, which the API refuses, for any other text. */
export function readCount(text: string): number {
  const typed = text.trim();
  return count.test(typed) ? Number(typed.replaceAll(/\D/g, '')) : Number.NaN;
}

/** "1 request", "2 requests" */
export const pluralize = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** A curl command for the public API. */
export function curlCommand(key: string, path = '/v2/businesses/me'): string {
  return `curl ${location.origin}${path} \\\n  -H 'Authorization: Bearer ${key}'`;
}

const shortFormat = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 3,
  maximumFractionDigits: 2,
  roundingPriority: 'lessPrecision',
});

/** A duration in milliseconds: "0.8 ms", "42.1 ms", "1.24 s". */
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${shortFormat.format(ms)} ms` : `${shortFormat.format(ms / 1_000)} s`;

/** "912 bytes", "12.3 kB" */
export const formatSize = (bytes: number): string =>
  bytes < 1_000 ? pluralize(bytes, 'byte') : `${shortFormat.format(bytes / 1_000)} kB`;
