const shape = /^\d{4}-\d{2}-\d{2}$/;

/** The day in a text such as `2026-11-21`; undefined where it is none. */
export function parseDate(text: string | null): string | undefined {
  if (text === null || !shape.test(text)) return undefined;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** Some days, where the reader is: the first and the last of them, either of which may be left open. */
export interface DateRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The moments of a range as the API is asked for them (RFC 3339), the earlier day first. */
export function toTimeRange({ from, to }: DateRange): { readonly from?: string; readonly to?: string } {
  const [first, last] = from !== undefined && to !== undefined && to < from ? [to, from] : [from, to];
  return {
    ...(first !== undefined && { from: startOf(first, 0) }),
    ...(last !== undefined && { to: startOf(last, 1) }),
  };
}

/** Midnight where the reader is, `later` days after that of `day`. */
function startOf(day: string, later: number): string {
  const midnight = new Date(`${day}T00:00:00`);
  midnight.setDate(midnight.getDate() + later);
  return midnight.toISOString();
}
