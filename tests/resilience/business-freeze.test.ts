import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { completedAfter, type Load, startLoad } from '../harness/load.ts';
import { connect } from '../harness/oauth.ts';
import { strictRedis } from '../harness/patience.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import type { TestRedis } from '../harness/redis.ts';
import { redisCircumstances, untilPublishing } from '../harness/redis-circumstances.ts';
import { running } from '../harness/running.ts';

/*
 * Promise: after the response to a freeze, no request of the business that starts later succeeds, on any gateway, with any
 * credential, whatever happens to Redis. After the response to its end every request does.
 */

const path = '/v2/businesses/me';

const platform = running(() => startPlatform({ gateways: 2, gatewayEnv: () => strictRedis }));
let redis: TestRedis;
let owner: TestPerson;
let dashboard: Dashboard;
/** Credentials of the owner's business, by kind. */
let bearers: Readonly<Record<string, string>>;
let neighbour: string;
beforeAll(async () => {
  if (platform.redis === undefined) throw new Error('These tests need Redis.');
  redis = platform.redis;
  owner = await signUpVerified(platform);
  dashboard = await openDashboard(owner, owner.browser);
  const { businessId } = owner;
  const [secret, restricted, application] = await Promise.all([
    platform.createKey({ businessId }),
    platform.createKey({ businessId, type: 'restricted', scopes: ['business:read'] }),
    platform.createApplication({ businessId }),
  ]);
  // How long the tests take does not matter: an hour of them stays below it.
  await Promise.all([secret, restricted].map((key) => platform.setKeyLimit(key, 1_000_000)));
  const { accessToken } = await connect(platform, owner.browser, application);
  bearers = { secret: secret.keyString, restricted: restricted.keyString, token: accessToken };
  neighbour = (await platform.createKey()).keyString;
  // Gateways that have just started take the whole of a limit each until they know each other.
  const all = [neighbour, ...Object.values(bearers)].flatMap((key) => [ask(0, key), ask(1, key)]);
  await Promise.all(all);
  await expectEventually(
    async () => {
      expect(await statuses()).toEqual([200]);
      expect([(await ask(0, neighbour)).status, (await ask(1, neighbour)).status]).toEqual([200, 200]);
    },
    { withinMs: 5_000 },
  );
});

const ask = (gateway: number, key: string) => platform.request(gateway, 'GET', path, { key });
/** Responses for every credential at every gateway. */
const statuses = async () => {
  const asked = Object.values(bearers).flatMap((bearer) => [ask(0, bearer), ask(1, bearer)]);
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
};

const freeze = async (reason = 'a key may have leaked') => {
  const response = await dashboard.own('PUT', '/freeze', { reason });
  return { status: response.status, body: response.json(), repliedAt: performance.now() };
};
const lift = async () => {
  const response = await dashboard.own('DELETE', '/freeze');
  return { status: response.status, body: response.json(), repliedAt: performance.now() };
};

/** A gateway with too little CPU responds 503, which grants nothing: how rarely it does is the promise of other tests. */
const busy = 503;

/** Responses of a load to requests that started at `from` or later, and ended before `to`. */
const statusesIn = ({ report }: Load, from: number, to = Number.POSITIVE_INFINITY) => [
  ...new Set(
    report.records
      .filter(({ startedAt, endedAt, status }) => startedAt >= from && endedAt < to && status !== busy)
      .map(({ status, error }) => status ?? error),
  ),
];

/** Those in which the freeze itself is lost; revocation.test.ts has a frozen Redis. */
const circumstances = Object.entries(redisCircumstances).filter(
  ([name]) => !name.startsWith('Redis is frozen'),
);

describe.each(circumstances)('when %s', (_, during) => {
  test('no request that starts after the freeze succeeds, and every one after its end does', async () => {
    await untilPublishing(platform);
    const loadOn = (key: string, rate: number) =>
      platform.gatewayPorts.map((port) => startLoad({ ports: [port], rate, path, key }));
    const frozen = Object.values(bearers).flatMap((bearer) => loadOn(bearer, 10));
    const others = loadOn(neighbour, 5);
    try {
      await Promise.all([...frozen, ...others].map((load) => completedAfter(load, 0, 8)));
      const repliedAt = await during(redis, async (propagation) => {
        const { body, repliedAt } = await freeze();
        // Otherwise Redis was not lost, and this test would show nothing.
        if (propagation !== undefined) expect(body).toMatchObject({ propagation });
        return repliedAt;
      });
      const settledAt = performance.now();
      await Promise.all(frozen.map((load) => completedAfter(load, settledAt, 12)));
      const lifting = performance.now();
      // identity-service connects to Redis again by itself. Without a freeze, a lift publishes the generation again.
      const liftedAt = await expectEventually(
        async () => {
          const { repliedAt: at, ...lifted } = await lift();
          expect(lifted).toEqual({ status: 200, body: { propagation: 'confirmed' } });
          return at;
        },
        { withinMs: 20_000 },
      );
      await Promise.all([...frozen, ...others].map((load) => completedAfter(load, liftedAt, 8)));
      await Promise.all([...frozen, ...others].map((load) => load.stop()));
      for (const load of frozen) {
        expect(statusesIn(load, repliedAt, lifting)).toEqual([403]);
        expect(statusesIn(load, liftedAt)).toEqual([200]);
        expect(load.report.failures(200, 403, busy)).toEqual([]);
      }
      for (const load of others) expect(load.report.failures(200, busy)).toEqual([]);
    } finally {
      await Promise.all([...frozen, ...others].map((load) => load.stop()));
      await lift();
    }
  });
});

test('while Redis is down a freeze takes effect at once, and the response says that it is not confirmed', async () => {
  expect(await statuses()).toEqual([200]);
  await redis.stop();
  try {
    expect((await freeze()).body).toMatchObject({ propagation: 'pending' });
    expect(await statuses()).toEqual([403]);
    expect((await lift()).body).toEqual({ propagation: 'pending' });
    expect(await statuses()).toEqual([200]);
  } finally {
    await redis.start();
  }
});

test('clients get the 403 of the contract, with a link to the documentation', async () => {
  await freeze();
  const response = await ask(0, bearers.secret ?? '');
  expect([response.status, response.json()]).toEqual([403, { status: 'Forbidden', code: 403 }]);
  expect(response.headers).toMatchObject({
    link: '</docs/errors#business_frozen>; rel="help"',
    'www-authenticate': 'Bearer realm="API"',
  });
  await lift();
});

test('an expired key is reported as expired, even if the business is frozen', async () => {
  const { id, keyString } = await platform.createKey({
    businessId: owner.businessId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  await platform.sql("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  await freeze();
  expect((await ask(0, keyString)).status).toBe(401);
  await lift();
});

test('a repeated freeze keeps the first one and confirms it again', async () => {
  const generation = async () =>
    (
      await platform.sql('SELECT generation::int AS n FROM credential_generations WHERE business_id = $1', [
        owner.businessId,
      ])
    )[0]?.n;
  const first = await freeze('first');
  expect(first.body).toMatchObject({
    freeze: { reason: 'first', frozenBy: { personId: owner.id, name: owner.name } },
  });
  const before = Number(await generation());
  let repeated = 0;
  // Redis was restarted above: a replica that is not connected again yet confirms nothing.
  await expectEventually(
    async () => {
      repeated++;
      const { body } = await freeze('second');
      expect(body).toEqual({ ...Object(first.body), propagation: 'confirmed' });
    },
    { withinMs: 5_000 },
  );
  expect(await generation()).toBe(before + repeated);
  expect((await dashboard.own('GET', '/freeze')).json()).toEqual({
    freeze: expect.objectContaining({ reason: 'first' }),
  });
  await lift();
  await lift();
  expect((await dashboard.own('GET', '/freeze')).json()).toEqual({ freeze: null });
});

test('a freeze and its end are each recorded once with the person', async () => {
  const marker = `reason ${Date.now()}`;
  await freeze(`  ${marker} `);
  await freeze(marker);
  await lift();
  await lift();
  const events = await platform.sql(
    "SELECT action, actor_kind, actor_id, subject_id FROM audit_events WHERE details->>'reason' = $1 ORDER BY id",
    [marker],
  );
  const act = { actor_kind: 'person', actor_id: owner.id, subject_id: String(owner.businessId) };
  expect(events).toEqual([
    { action: 'business.frozen', ...act },
    { action: 'business.unfrozen', ...act },
  ]);
});

test('a reason is one line of at most 200 characters', async () => {
  for (const reason of ['x'.repeat(201), 'two\nlines']) {
    const response = await dashboard.own('PUT', '/freeze', { reason });
    expect([response.status, response.json()]).toMatchObject([
      400,
      { fields: { reason: expect.any(String) } },
    ]);
  }
  expect(await statuses()).toEqual([200]);
});

test('members see a freeze, and only owners change it', async () => {
  const member = await signUpVerified(platform);
  await joinBusiness(platform, member, owner.businessId, 'developer');
  const theirs = await openDashboard(owner, member.browser);
  await freeze();
  expect((await theirs.own('DELETE', '/freeze')).status).toBe(403);
  expect((await theirs.own('GET', '/freeze')).json()).toMatchObject({
    freeze: { reason: expect.any(String) },
  });
  expect(await statuses()).toEqual([403]);
  await lift();
  expect((await theirs.own('PUT', '/freeze', {})).status).toBe(403);
  expect(await statuses()).toEqual([200]);
});
