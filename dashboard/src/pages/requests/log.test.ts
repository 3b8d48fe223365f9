import { describe, expect, test } from '@jest/globals';
import {
  type ApiRequest,
  addNewest,
  describeKept,
  maxRendered,
  type RequestPage,
  reasonOf,
  renderedRows,
  rowsOf,
} from './log.ts';

const start = Date.UTC(2026, 10, 29, 14);

/** A request, `seconds` after 14:00. */
function request(seconds: number): ApiRequest {
  return {
    id: `at-${seconds}`,
    at: new Date(start + seconds * 1_000).toISOString(),
    method: 'GET',
    path: '/v2/order',
    status: 200,
    reason: null,
    title: 'Succeeded',
    credential: null,
    clientIp: '192.0.2.1',
    durationMs: 12,
  };
}

const minute = (minutes: number, requests: number) => ({
  minute: new Date(start + minutes * 60_000).toISOString(),
  requests,
});

function page(seconds: readonly number[], nextCursor: string | null = null): RequestPage {
  return { requests: seconds.map(request), unlisted: [], nextCursor };
}

/** Rows as text: a request by its id, others by their number. */
const texts = (pages: readonly RequestPage[]) =>
  rowsOf(pages).map((row) => ('minute' in row ? `${row.requests} unlisted` : row.id));

describe('what is not listed of a minute', () => {
  test('follows its requests, wherever the pages end', () => {
    const pages = [
      { ...page([130, 70], 'more'), unlisted: [minute(2, 5), minute(1, 9)] },
      { ...page([65, 20]), unlisted: [minute(1, 9), minute(-3, 2)] },
    ];
    expect(texts(pages)).toEqual([
      'at-130',
      '5 unlisted',
      'at-70',
      'at-65',
      '9 unlisted',
      'at-20',
      '2 unlisted',
    ]);
  });

  test('waits for the rest of its minute', () => {
    expect(texts([{ ...page([130, 70], 'more'), unlisted: [minute(2, 5), minute(1, 9)] }])).toEqual([
      'at-130',
      '5 unlisted',
      'at-70',
    ]);
  });

  test('is shown without any request, too', () => {
    expect(texts([{ ...page([]), unlisted: [minute(1, 9)] }])).toEqual(['9 unlisted']);
  });
});

describe('the newest requests', () => {
  test('come before the loaded ones, once each', () => {
    const loaded = [page([30, 20], 'more'), page([10])];
    const { pages, added } = addNewest(loaded, page([50, 40, 30], 'more'));
    expect(added).toEqual(['at-50', 'at-40']);
    expect(texts(pages)).toEqual(['at-50', 'at-40', 'at-30', 'at-20', 'at-10']);
  });

  test('may be recorded late, between others', () => {
    const { pages, added } = addNewest([page([30, 20])], page([30, 25, 20]));
    expect(added).toEqual(['at-25']);
    expect(texts(pages)).toEqual(['at-30', 'at-25', 'at-20']);
  });

  test('replace the loaded ones where some in between are not known', () => {
    const { pages, added } = addNewest([page([30, 20])], page([90, 80], 'more'));
    expect(added).toEqual(['at-90', 'at-80']);
    expect(texts(pages)).toEqual(['at-90', 'at-80']);
  });

  test('replace the counts of what is not listed', () => {
    const loaded = [{ ...page([70]), unlisted: [minute(1, 9)] }];
    const { pages } = addNewest(loaded, { ...page([70]), unlisted: [minute(1, 12)] });
    expect(texts(pages)).toEqual(['at-70', '12 unlisted']);
  });
});

describe('of a list are rendered', () => {
  test.each([
    [0, 0, 0, 0],
    [0, maxRendered, 0, maxRendered],
    [0, 100_000, 0, 500],
    [50_000, 100_000, 49_800, 50_300],
    [99_900, 100_000, 99_500, 100_000],
  ])('at row %i of %i the rows from %i to %i', (firstVisible, count, first, end) => {
    expect(renderedRows(firstVisible, count)).toEqual({ first, end });
  });
});

test.each([
  [{ days: 30, newest: 1_000_000 }, 'the last 30 days, at most the newest 1,000,000'],
  [{ days: 90, newest: null }, 'the last 90 days'],
])('%j is said as %j', (kept, words) => {
  expect(describeKept(kept)).toBe(words);
});

test.each([
  [200, null, undefined],
  [303, null, undefined],
  [303, 'approval_denied', 'A title'],
  [404, null, 'A title'],
])('a request with status %d and reason %p has in the list the reason %p', (status, reason, shown) => {
  expect(reasonOf({ ...request(0), status, reason, title: 'A title' })).toBe(shown);
});
