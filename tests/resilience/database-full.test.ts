import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { restricted } from '../harness/made-key.ts';
import { metricOf } from '../harness/metrics.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* PostgreSQL that cannot write at the moment is no error of ours: 503 with Retry-After, in the shape of each door. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let dashboard: Dashboard;
let application: TestApplication;
let mend: () => Promise<void> = async () => {};
beforeAll(async () => {
  owner = await signUpVerified(platform);
  dashboard = await openDashboard(owner, owner.browser);
  application = await platform.createApplication({ businessId: platform.businessId });
});
afterEach(() => mend());

const order = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Ada' },
};

const summaryOf = ({ status, headers, text }: HttpResponse) => [
  status,
  Number(headers['retry-after']) > 0,
  headers['content-type']?.split(';')[0],
  text,
];

/** Other causes are recognized alike: service-kit/src/database/errors.test.ts. */
const diskFull = '53100';

describe('while the disk of PostgreSQL is full', () => {
  const fail = async (database: 'identity' | 'business', table: string) => {
    mend = await failWrites(platform.databases[database], table, diskFull);
  };

  test('the API responds with 503 and its own error body', async () => {
    const { keyString: key } = await platform.createKey();
    await fail('business', 'orders');
    const response = await platform.request(0, 'POST', '/v2/order', { key, body: order });
    const text = 'the service is temporarily unavailable';
    expect(summaryOf(response)).toEqual([
      503,
      true,
      'application/json',
      JSON.stringify({ error: text, status: 'Service Unavailable', code: 503 }),
    ]);
    await mend();
    expect((await platform.request(0, 'POST', '/v2/order', { key, body: order })).status).toBe(201);
  });

  test('the token endpoint responds with server_error, and the refresh token is not used up', async () => {
    const client = oauthClient(platform, application);
    const { refreshToken } = await connect(platform, owner.browser, application);
    await fail('identity', 'access_tokens');
    const { response } = await client.refresh(refreshToken);
    const text = 'the service is temporarily unavailable';
    expect(summaryOf(response)).toEqual([
      503,
      true,
      'application/json',
      expect.stringContaining(`{"error":"server_error","error_description":"${text}","error_uri":"http`),
    ]);
    await mend();
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test('a page responds with 503 in HTML', async () => {
    await fail('identity', 'throttle_counts');
    await owner.browser.open('/login');
    const response = await owner.browser.send('GET', '/oauth/authorize?client_id=x');
    expect(summaryOf(response).slice(0, 3)).toEqual([503, true, 'text/html']);
  });

  test('the dashboard API responds with 503 in JSON', async () => {
    await fail('identity', 'api_keys');
    const response = await dashboard.own('POST', '/api-keys', restricted);
    expect(summaryOf(response).slice(0, 3)).toEqual([503, true, 'application/json']);
    expect(response.json()).toMatchObject({ status: 'Service Unavailable', reason: 'database_unavailable' });
  });

  test('requests of the log wait in the gateway, which serves on, and are listed later', async () => {
    const { keyString: key } = await platform.createKey();
    const [gateway] = platform.gateways;
    const refusedReports = async () =>
      (await metricOf(gateway, 'rpc_client_duration_seconds_count', {
        method: 'RecordRequests',
        code: 'UNAVAILABLE',
      })) ?? 0;
    const before = await refusedReports();
    await fail('identity', 'request_log');
    const response = await platform.request(0, 'GET', '/v2/businesses/me', { key });
    expect(response.status).toBe(200);
    await expectEventually(async () => expect(await refusedReports()).toBeGreaterThan(before), {
      withinMs: 5_000,
    });
    await mend();
    const id = String(response.headers['x-request-id']);
    const listed = () => platform.sql('SELECT FROM request_log WHERE id = $1', [id]);
    await expectEventually(async () => expect(await listed()).toHaveLength(1), { withinMs: 10_000 });
  });

  test('rpcs are UNAVAILABLE', async () => {
    await fail('identity', 'applications');
    const { businessId } = platform;
    await expect(platform.createApplication({ businessId })).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'database_unavailable',
    });
    await mend();
    await fail('business', 'businesses');
    await expect(
      platform.businessRpc.BanBusiness({ businessId }, { deadlineMs: 30_000 }),
    ).rejects.toMatchObject({ kind: 'unavailable', reason: 'database_unavailable' });
  });
});
