import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { arriveLater, connect, endOverlaps, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: two refreshes with one token that reach gateways within 50 ms of each other overlapped, whichever replicas they reach
 * and when; the one without tokens does not end the Grant. Later ones do.
 */

let platform: Platform;
let owner: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  platform = await sharedPlatform();
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
});
afterAll(() => platform.close());

const connected = () => connect(platform, owner.browser, application);
const isAlive = async (accessToken: string) =>
  (await platform.request(0, 'GET', '/v2/businesses/me', { key: accessToken })).status === 200;

test('one after the other at two gateways, within 50 ms: the Grant lives', async () => {
  const client = oauthClient(platform, application);
  await expectEventually(
    async () => {
      const { accessToken, refreshToken } = await connected();
      const startedAt = performance.now();
      expect((await client.refresh(refreshToken, {}, {}, 0)).status).toBe(200);
      // As if they had been sent at the same time, however long a busy machine takes for the first.
      await arriveLater(platform, performance.now() - startedAt);
      expect((await client.refresh(refreshToken, {}, {}, 1)).body.error).toBe('invalid_grant');
      expect(await isAlive(accessToken)).toBe(true);
    },
    { withinMs: 30_000 },
  );
});

/** A gateway that sends what the test wants, with a monotonic clock of its own. */
function openGateway() {
  const clock = randomBytes(6).toString('hex');
  const ahead = 86_400_000 * Math.random();
  const now = () => performance.now() + ahead;
  const send = (replica: number, refreshToken: string, arrivedAt = now()) =>
    request(platform.identities[replica]?.ports.http ?? 0, 'POST', '/oauth/token', {
      headers: {
        'X-Gateway-Secret': platform.secrets.gatewaySecret,
        'X-Gateway-Arrival': `${clock} ${arrivedAt.toFixed(3)} ${now().toFixed(3)}`,
        'X-Forwarded-For': '127.0.0.1',
      },
      body: {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: application.clientId,
        client_secret: application.clientSecret,
      },
    });
  return { now, send };
}

test.each([
  ['20 ms', 20, true],
  ['100 ms', 100, false],
])('%s apart at gateways with other clocks, long after at another replica', async (_, apartMs, expected) => {
  const gateways = [openGateway(), openGateway()] as const;
  // The quickest request of each gateway tells each replica how their clocks differ.
  for (let n = 0; n < 40; n++) for (const gateway of gateways) await gateway.send(n % 2, 'rt_x');
  const { accessToken, refreshToken } = await connected();
  const [first, second] = gateways;
  const difference = second.now() - first.now();
  const arrivedAt = first.now() - 500;
  tokensOf(await first.send(0, refreshToken, arrivedAt).then(asTokenResponse));
  await query(
    platform.databases.identity,
    `UPDATE refresh_tokens SET used_at = used_at - interval '1 minute', settled_at = settled_at - interval '1 minute'
     WHERE used_at IS NOT NULL`,
  );
  const late = await second.send(1, refreshToken, arrivedAt + difference + apartMs);
  expect(late.json()).toMatchObject({ error: 'invalid_grant' });
  expect(await isAlive(accessToken)).toBe(expected);
});

const asTokenResponse = (response: Awaited<ReturnType<typeof request>>) => ({
  status: response.status,
  body: response.json() as Readonly<Record<string, unknown>>,
  response,
});

test('a client cannot say when its request arrived', async () => {
  const client = oauthClient(platform, application);
  const { accessToken, refreshToken } = await connected();
  const headers = { 'X-Gateway-Arrival': 'mine 1 2', 'x-gateway_arrival': 'mine 1 2' };
  expect((await client.refresh(refreshToken)).status).toBe(200);
  await endOverlaps(platform);
  expect((await client.refresh(refreshToken, {}, headers)).body.error).toBe('invalid_grant');
  expect(await isAlive(accessToken)).toBe(false);
});
