const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How long ago or ahead a moment is, in its largest unit: "3 days ago", "in 2 hours". Both in milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) return 'just now';
  const [name, length] = unit;
  return words.format(Math.trunc(distance / length), name);
}
