import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AlteringProxy, type ProxiedRequest, startAlteringProxy } from '../harness/altering-proxy.ts';
import { reportOf, roundsAfter, violationWith } from '../harness/canary.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { linesOf } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { signUpVerified } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { spawnService, type TestService } from '../harness/service.ts';
import { connectWebhooks, type Webhooks } from '../harness/webhooks.ts';

/** The canary measures webhooks and refreshes, and names the request that breaks one of these promises. */

const redirectUri = 'https://canary.invalid/callback';

let platform: Platform;
let webhooks: Webhooks;
let gateway: AlteringProxy;
let way: AlteringProxy;
let canary: TestService;
let businessId: number;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 2, webhooks: 1 });
  webhooks = connectWebhooks(platform);
  gateway = await startAlteringProxy(() => platform.gatewayPorts[1] ?? 0);
  way = await startAlteringProxy(() => canary.ports.http ?? 0);
  const owner = await signUpVerified(platform);
  ({ businessId } = owner);
  const scopes = ['business:read'];
  const { clientId, clientSecret } = await platform.createApplication({
    businessId,
    redirectUris: [redirectUri],
    scopes,
  });
  const url = `http://127.0.0.1:${way.port}/canary/webhooks`;
  const { secret } = await webhooks.createEndpoint({ businessId, applicationId: '' }, url, ['order.updated']);
  canary = await spawnService('canary', {
    IDENTITY_GRPC_TARGET: platform.targets.identity,
    GATEWAY_ORIGINS: `http://localhost:${platform.gatewayPorts[0]},http://127.0.0.1:${gateway.port}`,
    CANARY_BUSINESS_ID: String(businessId),
    CANARY_INTERVAL_MS: '100',
    CANARY_WEBHOOK_SECRET: secret,
    CANARY_DELIVERY_MS: '15000',
    CANARY_EMAIL: owner.email,
    CANARY_PASSWORD: owner.password,
    CANARY_CLIENT_ID: clientId,
    CANARY_CLIENT_SECRET: clientSecret,
    CANARY_REUSE_INTERVAL_MS: '1000',
  });
});
afterAll(async () => {
  await canary?.stop();
  await way?.close();
  await gateway?.close();
  webhooks?.close();
  await platform?.close();
});

/** Name of the gateway that a test alters. */
const altered = () => `127.0.0.1:${gateway.port}`;

/** Violations are counted, and end with the error. */
async function expectRepaired(promise: string): Promise<void> {
  const { rounds } = await reportOf(canary);
  // The round that was under way, and the retry of a delivery that it refused.
  const { violations } = await roundsAfter(canary, rounds + 1);
  const later = await roundsAfter(canary, (await reportOf(canary)).rounds + 1);
  expect(later.violations).toEqual(violations);
  const counted = violations.filter((each) => each.promise === promise).length;
  expect(await metricOf(canary, 'canary_violations_total', { promise })).toBe(counted);
}

const withoutSignature = ({ headers: { 'webhook-signature': _, ...headers }, ...sent }: ProxiedRequest) => ({
  ...sent,
  headers,
});

test('deliveries and refreshes of a working platform are measured without a violation', async () => {
  const { webhook, refresh, violations } = await roundsAfter(canary, 3);
  expect(violations).toEqual([]);
  const names = [`127.0.0.1:${platform.gatewayPorts[0]}`, altered()].toSorted();
  expect(webhook.map(({ replica }) => replica).toSorted()).toEqual(names);
  expect(refresh.map(({ replica }) => replica).toSorted()).toEqual(names);
  expect(await metricOf(canary, 'canary_webhook_seconds_count', {})).toBeGreaterThan(2);
  expect(await metricOf(canary, 'canary_refresh_reuse_seconds_count', {})).toBeGreaterThan(1);
});

test('the canary uses three keys and one order, regardless of the number of rounds', async () => {
  const apiKeys = await platform.listKeys(businessId);
  expect(apiKeys).toHaveLength(3);
  const { deliveries } = await webhooks.deliveries({ businessId, applicationId: '' });
  expect(new Set(deliveries.map(({ type }) => type))).toEqual(new Set(['order.updated']));
});

test('requests of strangers to the public receiver are refused, and are not violations', async () => {
  const port = canary.ports.http ?? 0;
  const event = { type: 'order.updated', data: { metadata: { canary: '00' } } };
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
  expect((await request(port, 'POST', '/canary/webhooks', { body: event, headers })).status).toBe(401);
  expect((await request(port, 'GET', '/canary/webhooks')).status).toBe(404);
  expect((await request(port, 'POST', '/', { body: event })).status).toBe(404);
  const large = { body: 'x'.repeat(200_000), headers: { Connection: 'close' } };
  await request(port, 'POST', '/canary/webhooks', large).then(
    ({ status }) => expect(status).toBe(404),
    () => undefined,
  );
  expect((await reportOf(canary)).violations).toEqual([]);
});

test.each([
  ['without a signature', (sent: ProxiedRequest) => withoutSignature(sent)],
  [
    'with a wrong signature',
    (sent: ProxiedRequest) => ({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,AAAA' } }),
  ],
])('a delivery %s is a violation with its id', async (what, change) => {
  way.alter((sent, send) => send(change(sent)));
  const { promise, requestId } = await violationWith(canary, what);
  way.restore();
  expect(promise).toBe('webhook');
  const { deliveries } = await webhooks.deliveries({ businessId, applicationId: '' });
  expect(deliveries.map(({ eventId }) => eventId)).toContain(requestId);
  await expectRepaired('webhook');
});

test('a late delivery is a violation with the gateway and the request of the change', async () => {
  way.alter(async () => ({ status: 204, headers: {}, text: '' }));
  const { promise, requestId, replica } = await violationWith(canary, 'was not delivered within 15000 ms');
  way.restore();
  expect(promise).toBe('webhook');
  const changed = replica === altered() ? platform.gateways[1] : platform.gateways[0];
  await expectEventually(() => expect(linesOf(changed ?? canary, requestId)).not.toEqual([]), {
    withinMs: 30_000,
  });
  await expectRepaired('webhook');
});

const isToken = ({ path }: ProxiedRequest) => path === '/v2/oauth/token';

test('a gateway that accepts a used refresh token is reported', async () => {
  gateway.alter(async (sent, send) => {
    const response = await send(sent);
    if (!isToken(sent) || response.status !== 400) return response;
    return { ...response, status: 200, text: '{"access_token":"at_1","refresh_token":"rt_1"}' };
  });
  const { promise, replica } = await violationWith(canary, 'for a refresh token that was used before');
  gateway.restore();
  expect([promise, replica]).toEqual(['refresh', altered()]);
  await expectRepaired('refresh');
});

test('a gateway that accepts the tokens of a reused refresh token is reported', async () => {
  const until = new Map<string, number>();
  gateway.alter(async (sent, send) => {
    const response = await send(sent);
    const bearer = sent.headers.authorization ?? '';
    if (response.status !== 401 || !bearer.startsWith('Bearer at_')) return response;
    const end = until.get(bearer) ?? Date.now() + 1_000;
    until.set(bearer, end);
    return { ...response, status: Date.now() < end ? 200 : 401 };
  });
  const { promise, replica } = await violationWith(canary, 'of a connection that a reuse has ended');
  gateway.restore();
  expect([promise, replica]).toEqual(['refresh', altered()]);
  await expectRepaired('refresh');
});

test('a gateway that does not rotate refresh tokens, or refuses new ones, is reported', async () => {
  gateway.alter(async (sent, send) => {
    const response = await send(sent);
    const used = new URLSearchParams(sent.body.toString()).get('refresh_token');
    if (!isToken(sent) || response.status !== 200 || used === null) return response;
    return { ...response, text: JSON.stringify({ ...JSON.parse(response.text), refresh_token: used }) };
  });
  expect((await violationWith(canary, 'did not replace a refresh token')).replica).toBe(altered());
  gateway.alter(async (sent, send) => {
    if (!isToken(sent) || !sent.body.includes('grant_type=refresh_token')) return send(sent);
    return { status: 400, headers: {}, text: '{"error":"invalid_grant"}' };
  });
  const refused = 'refused a refresh token that was not used before';
  expect((await violationWith(canary, refused)).replica).toBe(altered());
  gateway.restore();
  await expectRepaired('refresh');
  const page = await request(canary.ports.ops ?? 0, 'GET', '/promises');
  expect(page.text).toContain(refused);
});
