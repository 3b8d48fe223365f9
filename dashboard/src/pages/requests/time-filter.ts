import { parseDate } from '../../components/date-range.ts';

const hourMs = 3_600_000;

const spanHours = { '1h': 1, '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;

type Span = keyof typeof spanHours | 'between';

/** Times of a filter; all undefined for everything that is kept. */
export interface TimeFilter {
  /** Time until now, or `between` two minutes. */
  readonly span: Span | undefined;
  /** First and last minute in local time, such as `2026-11-21T14:02`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export const spans: readonly { readonly value: Span; readonly label: string }[] = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'between', label: 'From … to …' },
];

const minute = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d$/;

/** A minute such as `2026-11-21T14:02`, or `clock` of a day such as `2026-11-21`; undefined for any other text. */
export function parseMinute(text: string | null, clock: string): string | undefined {
  const day = parseDate(text);
  if (day !== undefined) return `${day}T${clock}`;
  return parseDate(minute.exec(text ?? '')?.[1] ?? null) === undefined ? undefined : (text ?? undefined);
}

/** The times in URL parameters; invalid ones are ignored. */
export function parseTime(parameters: URLSearchParams): TimeFilter {
  const from = parseMinute(parameters.get('from'), '00:00');
  const to = parseMinute(parameters.get('to'), '23:59');
  const isBetween = from !== undefined || to !== undefined;
  const span = spans.find(({ value }) => value === (isBetween ? 'between' : parameters.get('span')))?.value;
  return { span, from, to };
}

/** Query parameters of the API in RFC 3339; those that are open are absent. @param now ms since 1970 */
export function toTimeRange(
  filter: TimeFilter,
  now: number,
): { readonly from?: string; readonly to?: string } {
  const { span = 'between', from, to } = filter;
  if (span !== 'between') return { from: new Date(now - spanHours[span] * hourMs).toISOString() };
  const [first, last] = from !== undefined && to !== undefined && to < from ? [to, from] : [from, to];
  return {
    ...(first !== undefined && { from: new Date(first).toISOString() }),
    ...(last !== undefined && { to: new Date(Date.parse(last) + 60_000).toISOString() }),
  };
}

/** The same where both ends are needed: the last 24 hours unless a time is chosen. */
export function toClosedRange(
  filter: TimeFilter,
  now: number,
): { readonly from: string; readonly to: string } {
  const range = toTimeRange(filter.span === undefined ? { ...filter, span: '24h' } : filter, now);
  const { to = new Date(now).toISOString() } = range;
  const { from = new Date(Date.parse(to) - spanHours['30d'] * hourMs).toISOString() } = range;
  return { from, to };
}
