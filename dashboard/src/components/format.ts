const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time relative to now in its largest unit: "3 days ago", "in 2 hours". Both in ms since 1970. */
export function formatRelativeTime(at: number, now: number): string {
  const distance = at - now;
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) return 'just now';
  const [name, length] = unit;
  return relativeFormat.format(Math.trunc(distance / length), name);
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
