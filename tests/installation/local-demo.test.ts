import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { query } from '../harness/postgres.ts';
import { listRequests, type RequestPage } from '../harness/recorded-requests.ts';
import { runDirectory } from '../harness/run-directory.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const hourOf = (time: number | string) => Math.floor(new Date(time).getTime() / hourMs) * hourMs;

/** A connection that is kept open would hold up the end of the gateway. */
const close = { Connection: 'close' };

const directory = join(runDirectory().newDirectory('local'), '.local');
const demoFile = z.object({
  baseUrl: z.string(),
  business: z.object({ id: z.number() }),
  secretKey: z.string(),
  login: z.object({ email: z.string(), password: z.string() }),
});
const runFile = z.object({ databases: z.object({ webhook: z.string() }) });
const read = <T>(schema: z.ZodType<T>, file: string): T =>
  schema.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));

const text = z.string().nullable();
const hour = z.object({
  start: z.string(),
  count2xx: z.number(),
  count4xx: z.number(),
  count429: z.number(),
  count5xx: z.number(),
});
type Hour = z.output<typeof hour>;
const callerUse = z.object({
  caller: z.object({ id: z.string() }),
  requests: z.number(),
  refused: z.number(),
  failed: z.number(),
});
const overviewBody = z.object({ hours: z.array(hour), busiest: z.array(callerUse) });
const keysBody = z.object({ apiKeys: z.array(z.object({ id: z.string() })) });
const keyBody = z.object({
  id: z.string(),
  keyType: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.string(),
  expiresAt: text,
  lastUsedAt: text,
  scopeUses: z.array(z.object({ scope: z.string(), lastUsedAt: text })),
});
const usageBody = z.object({ hours: z.array(hour) });
const requests = z.array(z.object({ requests: z.number() }));
const radiusBody = z.object({ addresses: requests, endpoints: requests });

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const errorsOf = ({ count4xx, count429, count5xx }: Hour) => count4xx + count429 + count5xx;
const requestsOf = (each: Hour) => each.count2xx + errorsOf(each);

describe('the demo data of npm start', () => {
  let start: NpmStart;
  let dashboard: Dashboard;
  /** Before the requests of the start itself, which are counted seconds later. */
  let to: number;
  let from: number;

  beforeAll(async () => {
    to = hourOf(Date.now());
    from = to - 6 * dayMs;
    start = await npmStart(directory);
    await start.untilReady();
    const { baseUrl, business, login } = read(demoFile, 'demo.json');
    const browser = createBrowser(Number(new URL(baseUrl).port), { headers: close });
    await browser.open('/login');
    await browser.submitAndFollow('/login', login);
    dashboard = await openDashboard({ businessId: business.id }, browser);
  });
  afterAll(async () => {
    start.ctrlC();
    await start.exited;
  });

  const get = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => {
    const response = await dashboard.own('GET', path);
    return schema.parse(response.json());
  };
  const spanOf = (since: number) => `from=${new Date(since).toISOString()}&to=${new Date(to).toISOString()}`;
  const overview = () => get(overviewBody, `/overview?${spanOf(from)}`);
  const keys = async () => {
    const { apiKeys } = await get(keysBody, '/api-keys');
    return Promise.all(apiKeys.map(({ id }) => get(keyBody, `/api-keys/${id}`)));
  };

  /** All requests of the period, from every page. */
  async function allRequests(filter: Record<string, string> = {}): Promise<RequestPage['requests']> {
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const found: RequestPage['requests'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: RequestPage = await listRequests(dashboard, {
        ...span,
        ...filter,
        ...(cursor !== '' && { cursor }),
      });
      found.push(...page.requests);
      cursor = page.nextCursor;
    }
    return found;
  }
  const countOf = async (filter?: Record<string, string>) => (await allRequests(filter)).length;

  test('lists each request that the overview counts, in every hour', async () => {
    const { hours } = await overview();
    const all = await allRequests();
    expect(all.filter(({ status }) => status >= 400).length).toBeGreaterThan(100);
    const listedIn = (start: string, isOf: (status: number) => boolean) =>
      all.filter(({ at, status }) => hourOf(at) === Date.parse(start) && isOf(status)).length;
    const listed = hours.map(({ start }) => ({
      start,
      successful: listedIn(start, (status) => status < 400),
      refused: listedIn(start, (status) => status >= 400 && status < 500),
      failed: listedIn(start, (status) => status >= 500),
    }));
    expect(listed).toEqual(
      hours.map((each) => ({
        start: each.start,
        successful: each.count2xx,
        refused: each.count4xx + each.count429,
        failed: each.count5xx,
      })),
    );
  });

  test('lists the same failed requests by reason, by status and by key as all together', async () => {
    const failed = (await allRequests()).filter(({ status }) => status >= 400);
    const { busiest } = await overview();
    const reasons = [...new Set(failed.map(({ reason }) => reason))];
    expect(reasons).toEqual(
      expect.arrayContaining([
        null,
        'expired',
        'insufficient_scope',
        'invalid_body',
        'method',
        'no_route',
        'upstream_timeout',
      ]),
    );
    for (const reason of reasons.filter((each) => each !== null)) {
      expect(await countOf({ reason })).toBe(failed.filter((each) => each.reason === reason).length);
    }
    expect(await countOf({ status: '4xx' })).toBe(sum(busiest.map(({ refused }) => refused)));
    expect(await countOf({ status: '5xx' })).toBe(sum(busiest.map((each) => each.failed)));
    for (const { caller, ...use } of busiest) {
      expect(await countOf({ credential: caller.id })).toBe(use.requests);
    }
  });

  test('shows each key as used if and only if its requests are counted, and never before it was created', async () => {
    const { busiest } = await overview();
    const found = await keys();
    expect(found).toHaveLength(3);
    for (const { id, createdAt, lastUsedAt } of found) {
      const { hours } = await get(usageBody, `/api-keys/${id}/usage?${spanOf(to - 90 * dayMs)}`);
      expect(lastUsedAt !== null).toBe(sum(hours.map(requestsOf)) > 0);
      expect(Date.parse(hours[0]?.start ?? '')).toBeGreaterThanOrEqual(hourOf(createdAt));
      expect(Date.parse(hours.at(-1)?.start ?? '')).toBeLessThanOrEqual(hourOf(lastUsedAt ?? ''));
      const inPeriod = hours.filter((each) => Date.parse(each.start) >= from);
      const use = busiest.find(({ caller }) => caller.id === id);
      expect(use?.requests).toBe(sum(inPeriod.map(requestsOf)));
      expect((use?.refused ?? 0) + (use?.failed ?? 0)).toBe(sum(inPeriod.map(errorsOf)));
      const { addresses, endpoints } = await get(radiusBody, `/api-keys/${id}/blast-radius`);
      const [byAddress, byEndpoint] = [addresses, endpoints].map((uses) =>
        sum(uses.map((each) => each.requests)),
      );
      expect(byAddress).toBe(byEndpoint);
    }
  });

  test('has each key succeed only with its own permissions until it expires', async () => {
    for (const { id, expiresAt, scopes, keyType, scopeUses } of await keys()) {
      const used = scopeUses.filter(({ lastUsedAt }) => lastUsedAt !== null);
      expect(used.length).toBeGreaterThan(0);
      if (keyType === 'restricted')
        expect(scopes).toEqual(expect.arrayContaining(used.map(({ scope }) => scope)));
      if (expiresAt === null) continue;
      for (const { lastUsedAt } of used)
        expect(Date.parse(lastUsedAt ?? '')).toBeLessThan(Date.parse(expiresAt));
      const after = `from=${new Date(hourOf(expiresAt) + hourMs).toISOString()}&to=${new Date(to).toISOString()}`;
      const { hours } = await get(usageBody, `/api-keys/${id}/usage?${after}`);
      expect(sum(hours.map(({ count2xx }) => count2xx))).toBe(0);
    }
  });

  test('has the last change of its orders at the last use of the permission to change them', async () => {
    const { baseUrl, secretKey } = read(demoFile, 'demo.json');
    const port = Number(new URL(baseUrl).port);
    const response = await request(port, 'GET', '/v2/order?limit=100', { key: secretKey, headers: close });
    const { data } = z.object({ data: z.array(z.object({ updated_at: z.string() })) }).parse(response.json());
    const writes = (await keys()).flatMap(({ scopeUses }) =>
      scopeUses.flatMap(({ scope, lastUsedAt }) =>
        scope === 'orders:write' ? Date.parse(lastUsedAt ?? '0') : [],
      ),
    );
    expect(Math.max(...writes)).toBe(Math.max(...data.map(({ updated_at }) => Date.parse(updated_at))));
  });

  test('has the same dates for keys, the membership and notices on every page', async () => {
    const found = await keys();
    const log = z.object({
      events: z.array(
        z.object({ at: z.string(), action: z.string(), subject: z.object({ id: z.string() }) }),
      ),
    });
    const { events } = await get(log, '/audit-events');
    const creationOf = (keyId: string) =>
      events.find(({ action, subject }) => action === 'api_key.created' && subject.id === keyId)?.at ?? '';
    for (const { id, createdAt } of found) {
      expect(Math.abs(Date.parse(creationOf(id)) - Date.parse(createdAt))).toBeLessThan(60_000);
    }
    const times = events.map(({ at }) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const { members } = await get(
      z.object({ members: z.array(z.object({ joinedAt: z.string() })) }),
      '/team',
    );
    const earliest = Math.min(...found.map(({ createdAt }) => Date.parse(createdAt)));
    expect(Date.parse(members[0]?.joinedAt ?? '')).toBeLessThan(earliest);
    const noticesBody = z.object({ notices: z.array(z.object({ at: z.string(), title: z.string() })) });
    const { notices } = noticesBody.parse((await dashboard.call('GET', '/notices')).json());
    const expiry = found.find(({ expiresAt }) => expiresAt !== null)?.expiresAt ?? '';
    const warnings = notices.filter(({ title }) => title.startsWith('An API key expires'));
    expect(warnings.map(({ at }) => Math.round((Date.parse(expiry) - Date.parse(at)) / dayMs))).toEqual([
      1, 7, 14,
    ]);
  });

  test('has no endpoint whose health differs from its deliveries', async () => {
    const [counted] = await query(
      read(runFile, 'run.json').databases.webhook,
      `SELECT count(*)::int AS endpoints, (count(*) FILTER (WHERE (last_success_at IS NULL) = succeeded
         OR failing_since IS NOT NULL AND NOT attempted))::int AS wrong
       FROM (SELECT e.*, coalesce(bool_or(d.status = 'delivered'), false) AS succeeded,
               coalesce(bool_or(d.attempts > 0), false) AS attempted
             FROM endpoints e LEFT JOIN deliveries d ON d.endpoint_id = e.id GROUP BY e.id) AS seen`,
    );
    expect(counted).toEqual({ endpoints: 1, wrong: 0 });
  });
});
