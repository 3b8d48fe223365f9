import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentedMetrics } from '../../deploy/observability/documented-metrics.ts';
import { connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { metricIn, metricOf, metricsIn, metricsOf } from '../harness/metrics.ts';
import { signUpVerified } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, type Webhooks } from '../harness/webhooks.ts';

/* Every metric that docs/metrics.md names is there after some traffic, and says what happened. */

// Sizes and backlog are measured in the turns of the purge.
const platform = running(() => startPlatform({ webhooks: 1, webhookEnv: { PURGE_INTERVAL_MS: '500' } }));
let key: string;
beforeAll(async () => {
  ({ keyString: key } = await platform.createKey());
  for (let i = 0; i < 5; i++) await me();
});

const me = (bearer = key) => platform.me(bearer);
const gateway = () => platform.gateways[0];
const identity = () => platform.identities[0];
const business = () => platform.businesses[0];
const webhook = () => platform.webhooks[0];
const grows = (read: () => Promise<number | undefined>, from = 0) =>
  expectEventually(async () => expect(await read()).toBeGreaterThan(from), { withinMs: 5_000 });

describe.each([
  ['gateway', gateway],
  ['identity-service', identity],
  ['business-service', business],
])('%s shows', (_, service) => {
  test('delays of its event loop', async () => {
    // Each scrape begins anew: another one may have been a moment ago.
    await expectEventually(
      async () => {
        const text = await metricsOf(service());
        for (const quantile of ['p50', 'p99', 'max']) {
          const seconds = metricIn(text, `nodejs_eventloop_lag_${quantile}_seconds`);
          expect(seconds).toBeGreaterThan(0);
          expect(seconds).toBeLessThan(30);
        }
      },
      { withinMs: 5_000, everyMs: 250 },
    );
  });
});

describe.each([
  ['identity-service', identity, 'Authorize'],
  ['business-service', business, 'CreateBusiness'],
])('%s shows', (_, service, method) => {
  test('its connections to the database', async () => {
    // Of one moment: connections are opened and closed meanwhile.
    const text = await metricsOf(service());
    const [size = 0, open = 0, idle = 0, waiting] = ['size', 'open', 'idle', 'waiting'].map((name) =>
      metricIn(text, `database_pool_${name}`),
    );
    expect([size, waiting]).toEqual([10, 0]);
    expect(open).toBeGreaterThan(0);
    expect(open).toBeLessThanOrEqual(size);
    expect(idle).toBeLessThanOrEqual(open);
    expect(await metricOf(service(), 'database_pool_wait_seconds_count')).toBeGreaterThan(0);
    expect(await metricOf(service(), 'database_pool_wait_seconds_sum')).toBeLessThan(60);
    expect(await metricOf(service(), 'database_pool_refused_total')).toBe(0);
  });

  test('the rpcs that it served', async () => {
    const labels = { method, code: 'OK' };
    const count = await metricOf(service(), 'rpc_duration_seconds_count', labels);
    expect(count).toBeGreaterThan(0);
    expect(await metricOf(service(), 'rpc_duration_seconds_sum', labels)).toBeLessThan(60);
  });
});

test('rpcs that fail are counted by their status', async () => {
  const mend = await failWrites(platform.databases.identity, 'api_keys', '53100');
  const keys = connectCanaryKeys(platform.targets.identity, platform.businessId);
  await expect(keys.takeKey('canary')).rejects.toMatchObject({ kind: 'unavailable' });
  keys.disconnect();
  await mend();
  const labels = { method: 'TakeKey', code: 'UNAVAILABLE' };
  expect(await metricOf(identity(), 'rpc_duration_seconds_count', labels)).toBe(1);
  expect(await metricOf(identity(), 'database_errors_total', { sqlstate: '53100' })).toBe(1);
});

test('identity-service shows its calls to business-service', async () => {
  await signUpVerified(platform);
  const labels = { method: 'CreateBusiness', code: 'OK' };
  expect(await metricOf(identity(), 'rpc_client_duration_seconds_count', labels)).toBe(1);
});

describe('the gateway shows', () => {
  test('where authorizations came from', async () => {
    const from = (source: string) => metricOf(gateway(), 'gateway_answers_total', { source });
    expect(await from('miss')).toBeGreaterThan(0);
    // On a busy machine a response may be too old to be kept, or has been kept for long.
    await expectEventually(
      async () => {
        const hits = (await from('hit')) ?? 0;
        await me();
        expect(await from('hit')).toBe(hits + 1);
      },
      { withinMs: 5_000 },
    );
  });

  test('responses of identity-service, and their duration', async () => {
    const labels = { outcome: 'allowed' };
    expect(await metricOf(gateway(), 'gateway_identity_answers_total', labels)).toBeGreaterThan(0);
    const sent = { method: 'Authorize', code: 'OK' };
    expect(await metricOf(gateway(), 'rpc_client_duration_seconds_count', sent)).toBeGreaterThan(0);
  });

  test('why it refused requests', async () => {
    const because = (reason: string) => metricOf(gateway(), 'gateway_refusals_total', { reason });
    await platform.request(0, 'GET', '/v2/businesses/me');
    await me('nonsense');
    await platform.request(0, 'GET', '/v2/nothing', { key });
    await grows(() => because('missing'));
    await grows(() => because('malformed'));
    await grows(() => because('no_route'));
    expect(await because('missing')).toBe(1);
  });

  test('requests that it could not read', async () => {
    const counted = async () => {
      const metrics = await metricsOf(gateway());
      return [
        metricIn(metrics, 'gateway_requests_total', { route: 'none', status: '400' }) ?? 0,
        metricIn(metrics, 'gateway_refusals_total', { reason: 'HPE_INVALID_METHOD' }) ?? 0,
      ];
    };
    const [requests = 0, refusals = 0] = await counted();
    expect((await rawRequest(gateway()?.ports.http ?? 0, 'nonsense\r\n\r\n')).statuses).toEqual([400]);
    expect(await counted()).toEqual([requests + 1, refusals + 1]);
  });

  test('how often and how long Redis was lost, and when it is back', async () => {
    const up = () => metricOf(gateway(), 'gateway_redis_up');
    const lost = () => metricOf(gateway(), 'gateway_redis_lost_total');
    const degraded = () => metricOf(gateway(), 'gateway_limiter_degraded_seconds_total');
    const degradedBefore = await degraded();
    expect(await degraded()).toBe(degradedBefore);
    expect([await up(), await lost()]).toEqual([1, 0]);
    await platform.redis?.stop();
    await expectEventually(async () => expect([await up(), await lost()]).toEqual([0, 1]), {
      withinMs: 5_000,
    });
    expect((await me()).status).toBe(200);
    await grows(degraded, degradedBefore);
    const redis = { dependency: 'redis' };
    for (const service of [gateway(), identity()]) {
      const isUp = () => metricOf(service, 'dependency_up', redis);
      await expectEventually(async () => expect(await isUp()).toBe(0), { withinMs: 2_000 });
    }
    const isThere = () => metricOf(identity(), 'dependency_up', { dependency: 'postgres' });
    await expectEventually(async () => expect(await isThere()).toBe(1), { withinMs: 5_000 });
    await platform.redis?.start();
    await expectEventually(async () => expect([await up(), await lost()]).toEqual([1, 1]), {
      withinMs: 10_000,
    });
  });

  test('that a cached authorization was out of date', async () => {
    const stale = () => metricOf(gateway(), 'gateway_answers_total', { source: 'stale' });
    // Again where a busy machine has kept nothing to be out of date.
    await expectEventually(
      async () => {
        for (let i = 0; i < 3; i++) await me();
        const before = (await stale()) ?? 0;
        await platform.redis?.flush();
        await me();
        expect(await stale()).toBeGreaterThan(before);
      },
      { withinMs: 5_000 },
    );
  });
});

describe('docs/metrics.md', () => {
  const services = { g: gateway, i: identity, b: business, w: webhook };

  test.each(Object.entries(services))(
    'has every metric of %s, with its type and labels, and no other',
    async (letter, service) => {
      const described = documentedMetrics().filter(({ of }) => of.includes(letter));
      const shown = metricsIn(await metricsOf(service()));
      const typesOf = (metrics: readonly { name: string; type: string }[]) =>
        metrics.map(({ name, type }) => `${name} ${type}`).sort();
      expect(typesOf(shown)).toEqual(typesOf(described));
      for (const { name, labels } of shown) {
        if (labels.length === 0) continue;
        const row = described.find((each) => each.name === name);
        expect({ name, labels: row?.labels.toSorted() }).toEqual({ name, labels });
      }
    },
  );
});

test('paths, ids and unknown methods are never label values', async () => {
  const send = async (n: number) => {
    for (const path of [
      `/v2/order/ord_${n}`,
      `/v2/nothing/${n}`,
      `/nothing/${n}`,
      `/docs/nothing-${n}`,
      `/account/nothing/${n}`,
    ]) {
      await platform.request(0, 'GET', path, { key });
      await platform.request(0, 'DELETE', path, { key });
    }
  };
  const labelSets = async () =>
    (await Promise.all([gateway(), identity(), business()].map(metricsOf))).flatMap((text) =>
      [...text.matchAll(/^\w+_(?:total|count)\{.*route=.*\}/gm)].map(([line]) => line),
    );
  await send(0);
  await grows(() => metricOf(business(), 'http_request_duration_seconds_count', { route: '/order/:id' }));
  const before = await labelSets();
  expect(before.length).toBeGreaterThan(5);
  for (let n = 1; n < 6; n++) await send(n);
  expect((await labelSets()).toSorted()).toEqual(before.toSorted());
});

describe('webhook-service shows', () => {
  let webhooks: Webhooks;
  let receiver: WebhookReceiver;
  const owner = () => ({ businessId: platform.businessId, applicationId: '' });
  beforeAll(async () => {
    webhooks = connectWebhooks(platform);
    receiver = await startWebhookReceiver();
    await webhooks.createEndpoint(owner(), receiver.url, ['order.created']);
    await makeOrder(platform, key);
    await awaitReceived(receiver, 1);
  });
  afterAll(async () => {
    webhooks.close();
    await receiver.close();
  });

  test('attempts by outcome, the backlog, endpoints by state and sizes of tables', async () => {
    await expectEventually(
      async () => {
        const text = await metricsOf(webhook());
        expect(text).toMatch(/webhook_attempt_duration_seconds_count\{.*outcome="delivered".*\} [1-9]/);
        expect(text).toMatch(/webhook_due_deliveries\{.*\} \d/);
        expect(text).toMatch(/webhook_oldest_due_seconds\{.*\} \d/);
        expect(text).toMatch(/webhook_endpoints\{.*state="healthy".*\} [1-9]/);
        expect(text).toMatch(/webhook_table_bytes\{.*table="deliveries".*\} [1-9]/);
        expect(text).toMatch(/webhook_turns\{.*\} \d/);
        expect(text).toMatch(/webhook_feeds_behind\{.*\} \d/);
      },
      { withinMs: 5_000 },
    );
  });

  test('deliveries that wait for a receiver separately from those that wait for webhook-service', async () => {
    // An endpoint of its own: the end of an earlier attempt would end the pause.
    const { id } = await webhooks.createEndpoint(owner(), receiver.url, ['order.created']);
    const pause = `UPDATE endpoints SET paused_until = now() + interval '1 hour' WHERE id = $1`;
    await query(platform.databases.webhook ?? '', pause, [id]);
    await makeOrder(platform, key);
    await expectEventually(
      async () => {
        const text = await metricsOf(webhook());
        expect(metricIn(text, 'webhook_due_deliveries')).toBeGreaterThan(0);
        expect(metricIn(text, 'webhook_oldest_due_seconds')).toBeGreaterThan(0);
        expect(metricIn(text, 'webhook_delivery_lag_seconds')).toBe(0);
      },
      { withinMs: 5_000 },
    );
  });
});
