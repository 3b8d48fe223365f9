import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { runAdminProgram } from '../harness/admin.ts';
import { startClickHouse } from '../harness/clickhouse.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import type { RequestFilter, RequestRecord } from '../harness/identity-program.ts';
import { importIdentityProgram } from '../harness/import-once.ts';
import { openRequestLog } from '../harness/request-logs.ts';
import { running } from '../harness/running.ts';

const clickHouse = running(startClickHouse);
const secret = randomBytes(32).toString('hex');

const [business, other] = [7, 8];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const now = Date.now();
/** Start of an hour in the past. */
const start = now - (now % hourMs) - 3 * hourMs;

const routes = ['/v2/order', '/v2/order/{id}', 'none'];
const statuses = [200, 200, 201, 303, 404, 429, 500, 503];
/** An authorization request may fail with a redirect. */
const refusals: Readonly<Record<number, string>> = { 303: 'approval_denied', 429: 'rate_limited' };
const agents = ['curl/8.5', "O'Brien\\agent 50%_off", ''];
const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T;

/** The `n`-th of the requests: several have the same time, and some are hours apart. */
function recordOf(n: number, businessId: number | undefined): RequestRecord {
  const status = pick(statuses, n);
  return {
    id: randomUUID(),
    at: start + Math.floor(n / 7) * 13_000 + (n % 50 === 0 ? -30 * 24 * hourMs + hourMs : 0),
    businessId,
    method: pick(['GET', 'POST'], n),
    path: `/v2/order/Ord_${n}`,
    route: pick(routes, n),
    status,
    durationMs: ((n * 7_919) % 2_000) / 8,
    upstreamMs: n % 3 === 0 ? undefined : n / 4,
    responseBytes: n * 1_000,
    userAgent: pick(agents, n),
    refusal: refusals[status],
    error: status >= 400 ? `it's an error, \\ and 100% of ${status}` : undefined,
    credentialType: businessId === undefined ? undefined : 'secret_key',
    credentialId: businessId === undefined ? undefined : `key_${n % 3}`,
    limitId: businessId === undefined ? undefined : `key_${n % 3}`,
    clientIp: pick(['192.0.2.7', '2001:db8::7'], n),
    requiredScope: n % 2 === 0 ? 'orders:read' : undefined,
    invalidField: status === 404 ? 'id' : undefined,
    secretLastFour: n % 11 === 0 ? 'a1b2' : undefined,
  };
}

const own = Array.from({ length: 700 }, (_, n) => recordOf(n, business));
const strangers = Array.from({ length: 20 }, (_, n) => recordOf(n, undefined));
const others = Array.from({ length: 300 }, (_, n) => recordOf(n, other));
const all = [...own, ...strangers, ...others];

const newestFirst = (records: readonly RequestRecord[]) =>
  records.toSorted((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));

const has = (text: string | undefined, part: string) => text?.toLowerCase().includes(part.toLowerCase());

/** Filters, and the requests of the business that each leaves. */
const filters: readonly (readonly [RequestFilter, (record: RequestRecord) => boolean | undefined])[] = [
  [{}, () => true],
  [{ limitId: 'key_1' }, ({ limitId }) => limitId === 'key_1'],
  [{ statusClass: '2xx' }, ({ status }) => status < 400],
  [{ statusClass: '4xx' }, ({ status }) => status >= 400 && status < 500],
  [{ statusClass: '5xx' }, ({ status }) => status >= 500],
  [{ status: 503 }, ({ status }) => status === 503],
  [{ refusal: 'rate_limited' }, ({ refusal }) => refusal === 'rate_limited'],
  [{ refusal: 'none' }, ({ refusal }) => refusal === undefined],
  [{ refusal: 'none', reasonStatus: 503 }, ({ status }) => status === 503],
  [{ method: 'POST' }, ({ method }) => method === 'POST'],
  [{ route: '/v2/order/{id}' }, ({ route }) => route === '/v2/order/{id}'],
  [{ clientIp: '2001:db8::7' }, ({ clientIp }) => clientIp === '2001:db8::7'],
  [{ text: 'ORD_1' }, ({ path }) => has(path, 'ORD_1')],
  [{ text: "o'brien\\" }, ({ userAgent }) => has(userAgent, "o'brien\\")],
  [{ text: '%_o' }, ({ userAgent }) => has(userAgent, '%_o')],
  [{ text: "') OR 1 = 1 --" }, () => false],
  [{ text: "\\') OR 1 = 1 --" }, () => false],
  [{ text: '100% of 404' }, ({ error }) => has(error, '100% of 404')],
  [{ text: '192.0.2.7' }, ({ clientIp }) => clientIp === '192.0.2.7'],
  [{ text: own[3]?.id ?? '' }, ({ id }) => id === own[3]?.id],
  [{ text: others[3]?.id ?? '' }, () => false],
  [{ text: randomUUID() }, () => false],
  [{ from: start + 13_000 }, ({ at }) => at >= start + 13_000],
  [{ to: start + 13_000 }, ({ at }) => at < start + 13_000],
  [
    { status: 404, method: 'GET', from: start, to: start + hourMs },
    ({ status, method, at }) => status === 404 && method === 'GET' && at >= start && at < start + hourMs,
  ],
];

describe.each([
  ['PostgreSQL', () => openRequestLog()],
  ['ClickHouse', () => openRequestLog(clickHouse)],
])('the log in %s', (_, open) => {
  const log = running(async () => {
    const opened = await open();
    const unlisted = [
      { businessId: business, minute: start, requests: 5 },
      { businessId: business, minute: start + minuteMs, requests: 2 },
      { businessId: other, minute: start, requests: 9 },
    ];
    const batches = [
      { batchId: randomUUID(), records: all.slice(0, 600), unlisted },
      { batchId: randomUUID(), records: all.slice(600), unlisted: [] },
    ];
    // As from a gateway that did not get the response.
    for (const batch of [...batches, ...batches]) await opened.add(batch);
    const last = all.at(-1)?.id ?? '';
    await expectEventually(async () => expect(await opened.findAny(last)).toBeDefined(), {
      withinMs: 10_000,
    });
    return opened;
  });

  async function listAll(filter: RequestFilter, limit: number): Promise<RequestRecord[]> {
    const found: RequestRecord[] = [];
    for (;;) {
      const last = found.at(-1);
      const after = last === undefined ? undefined : { at: last.at, id: last.id };
      const page = await log.list(business, { ...filter, limit, after });
      found.push(...page);
      if (page.length < limit) return found;
    }
  }

  test('lists the requests of the business alone, newest first, each once and as it was added', async () => {
    expect(await listAll({}, 1_000)).toEqual(newestFirst(own));
  });

  test.each([1, 13, 50])('has no gap and no double between pages of %p', async (limit) => {
    const some = { from: start, to: start + minuteMs };
    const expected = newestFirst(own.filter(({ at }) => at >= some.from && at < some.to));
    expect((await listAll(some, limit)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test.each(filters)('finds with %j what it says', async (filter, isWanted) => {
    const expected = newestFirst(own.filter(isWanted));
    expect((await listAll(filter, 300)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test('finds a request of the business or of an unknown one by its id, and never one of another', async () => {
    const [mine, stranger, foreign] = [own[5], strangers[5], others[5]];
    expect(await log.find(business, mine?.id ?? '')).toEqual(mine);
    expect(await log.find(business, stranger?.id ?? '')).toEqual(stranger);
    expect(await log.find(business, foreign?.id ?? '')).toBeUndefined();
    expect(await log.find(business, randomUUID())).toBeUndefined();
    expect(await log.find(business, "' OR 1")).toBeUndefined();
    expect(await log.findAny(foreign?.id ?? '')).toEqual(foreign);
    expect(await log.findAny('none')).toBeUndefined();
  });

  test('is where the command `explain` finds a request', async () => {
    const id = own[5]?.id ?? '';
    const env = {
      ...{ MODE: 'local', DATABASE_URL: log.database, ...(log.url && { REQUEST_LOG_URL: log.url }) },
      ...{ KEY_PEPPERS: secret, CREDENTIAL_TAG_KEYS: secret, BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:1' },
      ...{ PUBLIC_URL: 'https://api.test', MAIL_DIR: '/none', MAIL_FROM: 'api@platform.test' },
    };
    const { code, out, err } = await runAdminProgram(['explain', id, '--json'], env);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ id, businessId: business, path: own[5]?.path });
  });

  test('groups failures by reason, route and credential, with their trend', async () => {
    const span = { from: start, to: start + hourMs };
    const failed = own.filter(
      ({ at, status, refusal }) =>
        (status >= 400 || refusal !== undefined) && at >= span.from && at < span.to,
    );
    const keyOf = (of: Pick<RequestRecord, 'method' | 'route' | 'status' | 'refusal' | 'limitId'>) =>
      [of.method, of.route, of.status, of.refusal, of.limitId].join(' ');
    const expected = Map.groupBy(failed, keyOf);
    const groups = await log.groups(business, span);
    expect(groups.map(keyOf).toSorted()).toEqual([...expected.keys()].toSorted());
    for (const group of groups) {
      const members = expected.get(keyOf(group)) ?? [];
      const times = members.map(({ at }) => at);
      const partOf = ({ at }: RequestRecord) => Math.floor((12 * (at - span.from)) / hourMs);
      expect(group).toMatchObject({
        requests: members.length,
        firstAt: Math.min(...times),
        lastAt: Math.max(...times),
        trend: Array.from(
          { length: 12 },
          (_, part) => members.filter((each) => partOf(each) === part).length,
        ),
      });
      expect(members.find(({ id }) => id === group.lastId)?.at).toBe(group.lastAt);
    }
    expect(groups.map(({ requests }) => requests)).toEqual(
      groups.map(({ requests }) => requests).toSorted((a, b) => b - a),
    );
    expect(await log.groups(business, { ...span, status: 200 })).toEqual([]);
  });

  test('has the exact percentiles of the durations of each route', async () => {
    const span = { from: start, to: start + hourMs, statusClass: '5xx' } as const;
    const slow = own.filter(({ at, status }) => status >= 500 && at >= span.from && at < span.to);
    const byRoute = Map.groupBy(slow, ({ method, route }) => `${method} ${route}`);
    const percentile = (sorted: readonly number[], p: number) => sorted[Math.ceil(p * sorted.length) - 1];
    const expected = [...byRoute].map(([key, members]) => {
      const sorted = members.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((p) => percentile(sorted, p));
      return { key, requests: sorted.length, failures: sorted.length, p50, p95, p99 };
    });
    const found = (await log.durations(business, span)).map(({ method, route, ...rest }) => ({
      key: `${method} ${route}`,
      ...rest,
    }));
    const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
    expect(found.toSorted(byKey)).toEqual(expected.toSorted(byKey));
  });

  test('counts the requests of a credential by all that decides about them, with the time of each', async () => {
    const credentials = [{ businessId: business, limitId: 'key_1' }];
    const span = { from: start, to: start + hourMs };
    const within = own.filter(({ at, limitId }) => limitId === 'key_1' && at >= span.from && at < span.to);
    const partsOf = (
      each: Pick<RequestRecord, 'method' | 'route' | 'clientIp' | 'requiredScope' | 'refusal'>,
    ) => [each.method, each.route, each.clientIp, each.requiredScope, each.refusal].join(' ');
    const expected = Map.groupBy(within, partsOf);
    const { demands, others } = await log.demands(credentials, span, { withTimes: true });
    expect([demands.length, others]).toEqual([expected.size, 0]);
    for (const demand of demands) {
      const records = expected.get(partsOf(demand)) ?? [];
      expect([demand.limitId, demand.requests]).toEqual(['key_1', records.length]);
      expect(demand.lastAt).toBe(Math.max(...records.map(({ at }) => at)));
      const began = records.map(({ at, durationMs }) => at - durationMs).toSorted((a, b) => a - b);
      for (const [n, startedAt] of demand.startedAt.toSorted().entries()) {
        expect(Math.abs(startedAt - (began[n] ?? 0))).toBeLessThanOrEqual(1);
      }
    }
    const { demands: untimed } = await log.demands(credentials, span, { withTimes: false });
    expect(untimed.map(({ startedAt }) => startedAt.length)).toEqual(untimed.map(() => 0));
    const foreign = [{ businessId: other + 1, limitId: 'key_of_nobody' }];
    expect(await log.demands(foreign, span, { withTimes: true })).toEqual({ demands: [], others: 0 });
  });

  test('says since when requests are on record, and how many minutes lack some', async () => {
    const { since, missedMinutes } = await log.coverage([business], { from: start, to: start + hourMs });
    const first = Math.min(...own.map(({ at }) => at));
    expect(since).toBeGreaterThanOrEqual(first - minuteMs);
    expect(since).toBeLessThanOrEqual(first);
    expect(missedMinutes).toBe(2);
  });

  test('says in which minutes requests of the business are not listed, once for a repeated batch', async () => {
    expect(await log.unlisted(business, { from: start, to: start + hourMs })).toEqual([
      { businessId: business, minute: start + minuteMs, requests: 2 },
      { businessId: business, minute: start, requests: 5 },
    ]);
    expect(await log.unlisted(business, { from: start + minuteMs, to: start + hourMs })).toHaveLength(1);
  });
});

describe('a search that takes too long ends with advice', () => {
  const tooSlow = { kind: 'failed_precondition', reason: 'search_too_slow' };

  test('in PostgreSQL', async () => {
    const log = await openRequestLog();
    const held = await holdTable(log.database, 'request_log');
    await expect(log.list(business, { text: 'x', limit: 50, after: undefined })).rejects.toMatchObject(
      tooSlow,
    );
    await held.release();
    await log.close();
  });

  test('in ClickHouse', async () => {
    const { clickHouseAddress, createClickHouse, sql } = await importIdentityProgram();
    const { read } = createClickHouse(clickHouseAddress.parse(await clickHouse.createDatabase()));
    const slow = sql`SELECT sleepEachRow(0.1) AS x FROM numbers(1000) SETTINGS max_block_size = 1`;
    await expect(read(z.unknown(), slow)).rejects.toMatchObject(tooSlow);
  });
});

test('ClickHouse keeps requests for 90 days, and those of unknown businesses for one', async () => {
  const log = await openRequestLog(clickHouse);
  const ago = (days: number, businessId: number | undefined) => ({
    ...recordOf(1, businessId),
    at: now - days * 24 * hourMs,
  });
  const kept = [ago(89, business), ago(0.9, undefined)];
  const over = [ago(92, business), ago(3, undefined)];
  await log.add({ batchId: randomUUID(), records: [...kept, ...over], unlisted: [] });
  const ids = (records: readonly RequestRecord[]) => records.map(({ id }) => id).toSorted();
  for (const table of ['request_log', 'request_log_ids']) {
    await expectEventually(
      async () => {
        const rows = await clickHouse.query<{ id: string }>(
          log.url,
          `SELECT toString(id) AS id FROM ${table}`,
        );
        expect(rows.map(({ id }) => id).toSorted()).toEqual(ids(kept));
      },
      { withinMs: 10_000 },
    );
  }
  await log.close();
});
