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
export function spanOf(range: UsageRange, now: number): { readonly from: number; readonly to: number } {
  const to = now - (now % hourMs) + hourMs;
  if (range === '24h') return { from: to - 24 * hourMs, to };
  const first = new Date(now);
  first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - Number.parseInt(range, 10) + 1);
  return { from: Math.max(first.getTime(), to - longestMs), to };
}
