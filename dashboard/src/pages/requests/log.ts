import { formatNumber } from '../../components/format.ts';
import type { components } from '../../generated/dashboard-api.d.ts';

type Schemas = components['schemas'];

/** "the last 30 days, at most the newest 1,000,000" */
export function describeKept({ days, newest }: Schemas['RequestsKept']): string {
  return `the last ${days} days${newest === null ? '' : `, at most the newest ${formatNumber(newest)}`}`;
}

export type ApiRequest = Schemas['ApiRequest'];

/** Requests of a minute that the log could not take. */
export type Unlisted = Schemas['UnlistedRequests'];

/** A page of the log, newest first. */
export interface RequestPage {
  readonly requests: readonly ApiRequest[];
  readonly unlisted: readonly Unlisted[];
  readonly nextCursor: string | null;
}

/** Why a request was refused or failed, in a few words; undefined where it succeeded. An authorization request may fail with a redirect. */
export function reasonOf({ status, reason, title }: ApiRequest): string | undefined {
  return status >= 400 || reason !== null ? title : undefined;
}

/** A row of the list. */
export type LogRow = ApiRequest | Unlisted;

/** Requests that the first page holds at most before a live list starts again. */
const maxLive = 5_000;

/**
 * Adds a newly fetched first page to the loaded ones. Where requests may lie between them that were never fetched, the loaded
 * ones are dropped: the list has no gap.
 */
export function addNewest(
  pages: readonly RequestPage[],
  newest: RequestPage,
): { readonly pages: readonly RequestPage[]; readonly added: readonly string[] } {
  const [first, ...older] = pages;
  const known = new Set(first?.requests.map(({ id }) => id));
  const added = newest.requests.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const isGap = newest.nextCursor !== null && added.length === newest.requests.length;
  if (first === undefined || isGap || known.size > maxLive) return { pages: [newest], added };
  const fetched = new Set(newest.requests.map(({ id }) => id));
  const requests = [...newest.requests, ...first.requests.filter(({ id }) => !fetched.has(id))];
  const unlisted = [...newest.unlisted, ...first.unlisted];
  return { pages: [{ ...first, requests, unlisted }, ...older], added };
}

/** All rows of the loaded pages, newest first; what is not listed of a minute follows the requests of that minute. */
export function rowsOf(pages: readonly RequestPage[]): readonly LogRow[] {
  const isWhole = pages.at(-1)?.nextCursor === null;
  // A minute at the border of two pages is in both.
  const unlisted = new Map<string, Unlisted>();
  for (const each of pages.flatMap((page) => page.unlisted)) {
    if (!unlisted.has(each.minute)) unlisted.set(each.minute, each);
  }
  const waiting = [...unlisted.values()].sort((a, b) => b.minute.localeCompare(a.minute));
  const rows: LogRow[] = [];
  for (const request of pages.flatMap((page) => page.requests)) {
    // Both are in UTC, to the millisecond.
    const over = waiting.findIndex(({ minute }) => minute <= request.at);
    rows.push(...waiting.splice(0, over < 0 ? waiting.length : over), request);
  }
  // More requests of the same minute may be on the next page.
  return isWhole ? [...rows, ...waiting] : rows;
}

/** Rows in the document at most. */
export const maxRendered = 500;

const step = 100;

/** The rows that are rendered: those around the first visible one, moved in steps, so that scrolling seldom renders. */
export function renderedRows(
  firstVisible: number,
  count: number,
): { readonly first: number; readonly end: number } {
  const wanted = Math.floor(firstVisible / step) * step - (maxRendered - step) / 2;
  const first = Math.max(0, Math.min(wanted, count - maxRendered));
  return { first, end: Math.min(count, first + maxRendered) };
}
