const pattern = /^\d{4}-\d{2}-\d{2}$/;

/** A date such as `2026-11-21`; undefined for any other text. */
export function parseDate(text: string | null): string | undefined {
  if (text === null || !pattern.test(text)) return undefined;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** First and last day in local time; undefined where open. */
export interface DateRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Query parameters of the API in RFC 3339: the range from the first midnight to the one after its last day. */
export function toTimeRange({ from, to }: DateRange): { readonly from?: string; readonly to?: string } {
  const [first, last] = from !== undefined && to !== undefined && to < from ? [to, from] : [from, to];
  return {
    ...(first !== undefined && { from: startOf(first, 0) }),
    ...(last !== undefined && { to: startOf(last, 1) }),
  };
}

/** Local midnight `offset` days after `day`. */
function startOf(day: string, offset: number): string {
  const midnight = new Date(`${day}T00:00:00`);
  midnight.setDate(midnight.getDate() + offset);
  return midnight.toISOString();
}
