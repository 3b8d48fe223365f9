import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startLoad } from '../harness/load.ts';
import { connect, oauthClient, type Tokens, tokensOf } from '../harness/oauth.ts';
import { joinBusiness, logIn, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { checkOutPreviousRelease, type PreviousRelease } from '../harness/previous-release.ts';
import type { TestService } from '../harness/service.ts';

/*
 * Promise: migrations expand the schema, so that the release before serves on a database that was migrated already: beside
 * replicas of the new one during a rollout, and alone after a rollback. The release before is the newest commit that lacks
 * the last migration of the service.
 */

let platform: Platform;
let person: TestPerson;
let viewer: TestPerson;
let application: TestApplication;
let tokens: Tokens;
let releases: Readonly<Record<'identity' | 'business', PreviousRelease>>;
beforeAll(async () => {
  const [identity, business] = await Promise.all([
    checkOutPreviousRelease('identity-service'),
    checkOutPreviousRelease('business-service'),
  ]);
  releases = { identity, business };
  platform = await startPlatform({ identities: 2, businesses: 2 });
  person = await signUpVerified(platform);
  viewer = await signUp(platform);
  application = await platform.createApplication({ businessId: person.businessId });
  tokens = await connect(platform, person.browser, application);
}, 600_000);
afterAll(() => platform?.close());

const order = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }],
  customer: { name: 'Ada', email: 'ada@example.com' },
};

/** Requests with a key, orders, refreshes and logins while `work` runs and for two seconds after it; each must succeed. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  const { keyString: key } = await platform.createKey();
  const load = startLoad({ ports: platform.gatewayPorts, rate: 20, path: '/v2/businesses/me', key });
  let stopped = false;
  // One after the other: orders of a business wait for each other, on a busy machine too long.
  const repeat = async (once: () => Promise<void>, pauseMs: number): Promise<string> => {
    let succeeded = 0;
    for (; !stopped; succeeded++) {
      try {
        await once();
      } catch (error) {
        return String(error);
      }
      await delay(pauseMs);
    }
    return succeeded > 1 ? 'succeeded' : 'was not tried';
  };
  const loops = [
    repeat(async () => {
      const { status, text } = await platform.request(0, 'POST', '/v2/order', { key, body: order });
      if (status !== 201) throw new Error(`No order, but ${status}: ${text}`);
    }, 100),
    repeat(async () => {
      tokens = tokensOf(await oauthClient(platform, application).refresh(tokens.refreshToken));
    }, 100),
    repeat(async () => void (await logIn(platform, person)), 500),
  ];
  try {
    await work();
    await delay(2_000);
  } finally {
    stopped = true;
  }
  expect(await Promise.all(loops)).toEqual(loops.map(() => 'succeeded'));
  const report = await load.stop();
  expect(report.failures(200)).toEqual([]);
  expect(report.records.length).toBeGreaterThan(0);
}

/** Replaces replicas one by one by those of the release before. */
async function rollBack(replica: 0 | 1): Promise<void> {
  const pairs: readonly [TestService | undefined, PreviousRelease][] = [
    [platform.businesses[replica], releases.business],
    [platform.identities[replica], releases.identity],
  ];
  for (const [service, release] of pairs) {
    await service?.stop();
    await service?.start({}, release.root);
  }
}

/** Keys of a business, by their ids. */
const keysOf = (businessId: number) =>
  platform.sql('SELECT id FROM api_keys WHERE business_id = $1', [businessId]);

test('the previous release serves every request on a migrated database, beside the new release and alone', async () => {
  await underLoad(() => rollBack(1));
  await underLoad(() => rollBack(0));
}, 600_000);

test('the previous release alone stores usage and the log of requests', async () => {
  const key = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
  const paths = ['/v2/businesses/me', '/v2/order'];
  const responses = await Promise.all(
    paths.map((path) => platform.request(0, 'GET', path, { key: key.keyString })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 403]);
  const stored = `SELECT (SELECT sum(count_2xx + count_4xx) FROM usage_counts WHERE limit_id = $1)::int AS minutes,
    (SELECT sum(count_2xx + count_4xx) FROM usage_hours WHERE limit_id = $1)::int AS hours,
    (SELECT sum(requests) FROM usage_addresses WHERE limit_id = $1)::int AS addresses,
    (SELECT sum(requests) FROM usage_endpoints WHERE limit_id = $1)::int AS endpoints,
    (SELECT count(*) FROM request_log WHERE limit_id = $1)::int AS logged`;
  await expectEventually(
    async () =>
      expect(await platform.sql(stored, [key.id])).toEqual([
        { minutes: 2, hours: 2, addresses: 2, endpoints: 2, logged: 2 },
      ]),
    { withinMs: 20_000 },
  );
});

test('the previous release alone lets a viewer change nothing, even if it does not know viewers', async () => {
  const { businessId } = person;
  const of = await openDashboard({ businessId }, viewer.browser);
  await joinBusiness(platform, viewer, businessId, 'viewer');
  const before = await keysOf(businessId);
  const body = { name: 'Till', keyType: 'restricted', scopes: ['orders:read'] };
  const responses = await Promise.all([of.own('POST', '/api-keys', body), of.own('PUT', '/freeze', {})]);
  for (const { status } of responses) expect([403, 500]).toContain(status);
  expect(await keysOf(businessId)).toEqual(before);
  await platform.sql('DELETE FROM memberships WHERE person_id = $1', [viewer.id]);
});
