import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { usageService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { RequestOptions } from '../harness/http-request.ts';
import { request } from '../harness/http-request.ts';
import type { Platform } from '../harness/platform.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/** Gateways: one as it comes, one whose upstream is not there, and one whose failed requests are counted alone. */
const [usual, orphaned, flooded] = [0, 1, 2];
/** Milliseconds between two reports of the last. */
const floodedReportMs = 10_000;

let platform: Platform;
let key: TestKey;
beforeAll(async () => {
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  platform = await sharedBehind({
    gateways: 3,
    gatewayEnv: (index) => ({
      TRUSTED_PROXIES: '127.0.0.1',
      ...(index === orphaned && { BUSINESS_HTTP_ORIGINS: unreachable }),
      ...(index === flooded && { REPORT_INTERVAL_MS: `${floodedReportMs}` }),
    }),
  });
  key = await platform.createKey();
});
afterAll(() => platform.close());

const recordOf = (id: unknown) => platform.sql('SELECT * FROM request_log WHERE id = $1', [id]);
const count = async (condition: string, values: unknown[] = []) =>
  Number((await platform.sql(`SELECT count(*)::int AS n FROM request_log WHERE ${condition}`, values))[0]?.n);

const logOf = (gateway: number) => readFileSync(platform.gateways[gateway]?.logFile ?? '', 'utf8');

/** Sends a request and waits for its record. */
async function failed(method: string, path: string, options: RequestOptions = {}, gateway = usual) {
  const headers = { 'X-Forwarded-For': '192.0.2.7', ...options.headers };
  const response = await platform.request(gateway, method, path, { ...options, headers });
  const id = response.headers['x-request-id'];
  const records = await expectEventually(
    async () => {
      const found = await recordOf(id);
      expect(found).toHaveLength(1);
      return found;
    },
    { withinMs: 10_000 },
  );
  return { status: response.status, record: records[0] };
}

const unknown = { business_id: null, credential_type: null, credential_id: null, limit_id: null };
const keys = ({ id, businessId }: TestKey, type = 'secret_key') => ({
  business_id: String(businessId),
  credential_type: type,
  credential_id: id,
  limit_id: id,
});

describe('a request is recorded within seconds', () => {
  test('without a credential or with an unknown one', async () => {
    const route = { method: 'GET', path: '/v2/order', route: '/v2/order', required_scope: 'orders:read' };
    const seen = { ...route, ...unknown, status: 401, client_ip: '192.0.2.7' };
    const responses = await Promise.all([
      failed('GET', '/v2/order'),
      failed('GET', '/v2/order', { headers: { Authorization: 'Basic eDp5' } }),
      failed('GET', '/v2/order', { key: 'nonsense' }),
      failed('GET', '/v2/order', { key: createCheckedToken('sk') }),
      failed('GET', '/v2/order', { key: createCheckedToken('at') }),
    ]);
    expect(responses.map(({ record }) => record)).toEqual(
      ['missing', 'malformed', 'malformed', 'unknown', 'unknown'].map((refusal) =>
        expect.objectContaining({ ...seen, refusal }),
      ),
    );
  });

  test('with an expired key and its owner', async () => {
    const expired = await platform.createKey({ expiresAt: new Date(Date.now() + 3_600_000) });
    await platform.sql("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.id,
    ]);
    const { record } = await failed('GET', '/v2/businesses/me', { key: expired.keyString });
    expect(record).toMatchObject({ ...keys(expired), status: 401, refusal: 'expired' });
  });

  test('with a key without the scope or over its limit', async () => {
    const narrow = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
    const body = {};
    const denied = await failed('POST', '/v2/order', { key: narrow.keyString, body });
    expect(denied.record).toMatchObject({
      ...keys(narrow, 'restricted_key'),
      method: 'POST',
      status: 403,
      refusal: 'insufficient_scope',
      required_scope: 'orders:write',
    });
    await platform.setKeyLimit(narrow, 1);
    await platform.me(narrow.keyString, usual);
    const limited = await failed('GET', '/v2/businesses/me', { key: narrow.keyString });
    expect(limited.record).toMatchObject({ status: 429, refusal: 'rate_limited' });
  });

  test('for an unknown path or method', async () => {
    const { keyString } = key;
    const [path, method, stranger] = await Promise.all([
      failed('GET', '/v2/nothing/here?secret=x', { key: keyString }),
      failed('DELETE', '/v2/order/ord_1', { key: keyString }),
      failed('GET', '/v2/nothing'),
    ]);
    expect(path.record).toMatchObject({
      ...keys(key),
      status: 404,
      refusal: 'no_route',
      path: '/v2/nothing/here',
      route: 'none',
      required_scope: null,
    });
    expect(method.record).toMatchObject({ status: 405, refusal: 'method', route: '/v2/order/{id}' });
    expect(stranger.record).toMatchObject({ ...unknown, status: 401, refusal: 'missing', route: 'none' });
  });

  test('if the service behind the gateway refused it', async () => {
    const response = await failed('GET', '/v2/order/ord_none', { key: key.keyString });
    expect(response.record).toMatchObject({
      ...keys(key),
      status: 404,
      refusal: null,
      route: '/v2/order/{id}',
    });
  });

  test('if the upstream does not respond', async () => {
    const { record } = await failed('GET', '/v2/businesses/me', { key: key.keyString }, orphaned);
    expect(record).toMatchObject({ ...keys(key), status: 502, refusal: 'upstream_failed' });
  });

  test('if it is ambiguous', async () => {
    const port = platform.gatewayPorts[usual] ?? 0;
    const raw = await rawRequest(
      port,
      `POST /v2/order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.keyString}\r\n\r\n`,
    );
    const id = /X-Request-Id: (\S+)/.exec(raw.text)?.[1];
    const expected = { ...unknown, status: 411, refusal: 'length_required', route: '/v2/order' };
    await expectEventually(async () => expect(await recordOf(id)).toMatchObject([expected]), {
      withinMs: 10_000,
    });
  });

  test('with the time of the response', async () => {
    const before = Date.now();
    const { record } = await failed('GET', '/v2/order');
    expect(Number(record?.at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Number(record?.at)).toBeLessThanOrEqual(Date.now());
  });
});

test('pages are not recorded, successful requests and callers who left are', async () => {
  const responses = await Promise.all([
    platform.me(key.keyString, usual),
    platform.request(usual, 'GET', '/login'),
    platform.request(usual, 'DELETE', '/login'),
    platform.request(usual, 'GET', '/assets/none.css'),
    platform.request(usual, 'GET', '/v2/oauth/token'),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 405, 404, 405]);
  platform.businesses[0]?.freeze();
  // The gateway knows before the response comes. On a busy machine a caller may be gone before it has sent anything.
  let attempts = 0;
  await expectEventually(
    async () => {
      const path = `/v2/order/gone${++attempts}`;
      await rawRequest(
        platform.gatewayPorts[usual] ?? 0,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.keyString}\r\n\r\n`,
        { limitMs: 200 },
      );
      await expectEventually(() => expect(logOf(usual)).toContain(path), { withinMs: 500 });
    },
    { withinMs: 5_000 },
  );
  platform.businesses[0]?.thaw();
  const last = await failed('GET', '/v2/order/last', { key: key.keyString });
  expect(last.status).toBe(404);
  const [succeeded, ...others] = responses.map(({ headers }) => String(headers['x-request-id']));
  expect(await recordOf(succeeded)).toMatchObject([
    { ...keys(key), status: 200, refusal: null, error: null },
  ]);
  expect(await count('id = ANY($1)', [others])).toBe(0);
  expect(await count("path LIKE '/v2/order/gone%' AND status = 499")).toBeGreaterThan(0);
});

test('no secret is recorded, regardless of its place in the request', async () => {
  const { keyString } = await platform.createKey();
  const encoded = encodeURIComponent(keyString).replace('_', '%5F');
  const paths = [
    `/v2/order/${keyString}`,
    `/v2/${encoded}/x`,
    `/v2/x${keyString}x`,
    `/v2/order/${keyString.slice(3)}`,
    `/v2/order?${keyString}=1`,
    `/v2/order?${'a-'.repeat(40)}${keyString}=1&${'a-'.repeat(40)}${keyString}=1`,
  ];
  await Promise.all(paths.map((path) => failed('GET', path, { key: keyString })));
  const records = JSON.stringify(await platform.sql('SELECT * FROM request_log'));
  expect(records).toContain('[redacted]');
  expect(records).not.toContain(keyString.slice(3, 18));
});

test('a flood of strangers leaves a bounded number of records, and a metric counts the dropped ones', async () => {
  const flood = async (requests: number, options: RequestOptions, path: string) => {
    const send = () => platform.request(flooded, 'GET', path, options);
    for (let sent = 0; sent < requests; sent += 50) await Promise.all(Array.from({ length: 50 }, send));
  };
  await Promise.all([
    flood(2_500, {}, '/v2/flood/unknown'),
    flood(500, { key: key.keyString }, '/v2/flood/business'),
  ]);
  const dropped = async () => {
    const { text } = await request(platform.gateways[flooded]?.ports.ops ?? 0, 'GET', '/metrics');
    return Number(/^gateway_request_records_dropped_total\S* (\d+)$/m.exec(text)?.[1]);
  };
  await expectEventually(
    async () => {
      expect((await count("path = '/v2/flood/unknown'")) + (await dropped())).toBe(2_500);
      expect(await count("path = '/v2/flood/business'")).toBe(500);
    },
    { withinMs: 30_000 },
  );
});

test('records that were not accepted are sent again, each once', async () => {
  for (const identity of platform.identities) identity.freeze();
  const response = await platform.request(usual, 'GET', '/v2/again');
  const failures = () =>
    logOf(usual)
      .split('\n')
      .filter((line) => line.includes('"report":"requests"')).length;
  const before = failures();
  await expectEventually(() => expect(failures()).toBeGreaterThan(before), { withinMs: 15_000 });
  for (const identity of platform.identities) identity.thaw();
  const id = response.headers['x-request-id'];
  await expectEventually(async () => expect(await recordOf(id)).toHaveLength(1), { withinMs: 15_000 });
});

describe('a batch of a gateway', () => {
  const target = () => ({ target: platform.targets.identity, tls: { kind: 'plain' } as const });
  const record = (status: number) => ({
    requestId: randomUUID(),
    atUnixMs: Date.now(),
    method: 'GET',
    path: '/',
    route: 'none',
    status,
    clientIp: '::1',
    businessId: key.businessId,
  });

  test('is added once, however often it is sent', async () => {
    const { rpc, close } = createGrpcClient(usageService, target());
    const [batchId, sent] = [randomUUID(), record(200)];
    const minuteUnixMs = Date.now() - (Date.now() % 60_000);
    const unlisted = [{ businessId: key.businessId, minuteUnixMs, requests: 1_204 }];
    for (let times = 0; times < 3; times++) {
      await rpc.RecordRequests({ batchId, records: [sent], unlisted }, { deadlineMs: 30_000 });
    }
    close();
    expect(await recordOf(sent.requestId)).toMatchObject([{ status: 200 }]);
    const minutes =
      'SELECT unlisted FROM request_log_minutes WHERE business_id = $1 AND minute = to_timestamp($2)';
    expect(await platform.sql(minutes, [key.businessId, minuteUnixMs / 1_000])).toEqual([
      { unlisted: '1204' },
    ]);
  });

  const wrong: readonly [string, () => { batchId?: string; records?: ReturnType<typeof record>[] }][] = [
    ['a status that is none', () => ({ records: [record(99)] })],
    ['no id', () => ({ batchId: '' })],
  ];
  test.each(wrong)('with %s is refused as a whole', async (_, change) => {
    const { rpc, close } = createGrpcClient(usageService, target());
    const good = record(200);
    const { batchId = randomUUID(), records = [] } = change();
    const batch = { batchId, records: [good, ...records] };
    await expect(rpc.RecordRequests(batch, { deadlineMs: 30_000 })).rejects.toMatchObject({
      kind: 'invalid_argument',
    });
    close();
    expect(await recordOf(good.requestId)).toEqual([]);
  });
});
