/** How long a key is to live: a number of days, until the end of a day that is chosen, or for ever. */
export type Lifetime = '7' | '30' | '90' | '365' | 'date' | 'never';

/** The lifetimes that are offered, in their order. */
export const lifetimes: readonly { readonly value: Lifetime; readonly label: string }[] = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'date', label: 'A date' },
  { value: 'never', label: 'Never' },
];

const dayMs = 86_400_000;

/** When a key ends that is made now; null for never, undefined where the date is missing or over. */
export function expiryOf(lifetime: Lifetime, date: string, now: number): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'date') return now + Number(lifetime) * dayMs;
  const end = endOfDay(date);
  return end !== undefined && end > now ? end : undefined;
}

/** The lifetime that a key was given; `date` with the day on which one made now would end, where none is offered. */
export function lifetimeOf(
  { createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string | null },
  now: number,
): { readonly lifetime: Lifetime; readonly date: string } {
  if (expiresAt === null) return { lifetime: 'never', date: '' };
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs;
  const offered = lifetimes.find(({ value }) => Math.abs(Number(value) - days) < 1);
  if (offered !== undefined) return { lifetime: offered.value, date: '' };
  return { lifetime: 'date', date: dateOf(now + Math.max(1, days) * dayMs) };
}

/** The day of a moment here, as a field for dates has it: 2026-11-21. */
export function dateOf(ms: number): string {
  const moment = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The midnight that ends a day here; undefined for what is no date. */
function endOfDay(date: string): number | undefined {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (year === undefined) return undefined;
  const end = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
  return Number.isNaN(end) ? undefined : end;
}
