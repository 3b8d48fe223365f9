import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { TestApplication } from '../../harness/applications.ts';
import { oauthError } from '../../harness/error-responses.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { type HeldLocks, holdLocks, holdTable } from '../../harness/hold-table.ts';
import { metricOf } from '../../harness/metrics.ts';
import {
  authorizeApplication,
  connect,
  type OAuthClient,
  oauthClient,
  type TokenResponse,
} from '../../harness/oauth.ts';
import { gatewayPatience } from '../../harness/patience.ts';
import { signUpVerified, type TestPerson } from '../../harness/people.ts';
import { type Platform, startPlatform } from '../../harness/platform.ts';
import { query } from '../../harness/postgres.ts';

/*
 * More requests than connections to the database, while the statements on these do not come to an end: a request
 * without a connection is refused, and has no effect.
 */

/** Connections of each service. */
const connections = 4;

let platform: Platform;
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
let held: HeldLocks | undefined;
beforeAll(async () => {
  const env = { DATABASE_CONNECTIONS: `${connections}` };
  platform = await startPlatform({
    strictTimes: true,
    identityEnv: env,
    businessEnv: env,
    // The gateway is none of the parts that this is about.
    gatewayEnv: gatewayPatience,
  });
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});
afterEach(() => held?.release());
afterAll(() => platform.close());

/** One after the other: all at once may again need too many connections. */
async function oneByOne<T>(asks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const responses: T[] = [];
  for (const ask of asks) responses.push(await ask());
  return responses;
}

function expectServerError({ status, body, response }: TokenResponse): void {
  expect([status, body, response.headers['retry-after']]).toEqual([
    503,
    oauthError('server_error', 'the service is temporarily unavailable'),
    '1',
  ]);
}

test('token requests without a connection are refused, and use up no code and no token', async () => {
  const tokens: string[] = [];
  const codes: { code: string; verifier: string }[] = [];
  for (let i = 0; i < 10; i++) {
    tokens.push((await connect(platform, owner.browser, application)).refreshToken);
    codes.push(await authorizeApplication(owner.browser, application));
  }
  const asks = [
    ...codes.map(
      ({ code, verifier }) =>
        () =>
          client.exchange(code, verifier),
    ),
    ...tokens.map((token) => () => client.refresh(token)),
  ];
  // Held where code or refresh token have been consumed and the new tokens are about to be stored.
  held = await holdTable(platform.databases.identity, 'access_tokens');
  const responses = await Promise.all([...asks, ...asks, ...asks, ...asks, ...asks].map((ask) => ask()));
  responses.forEach(expectServerError);
  expect(await metricOf(platform.identities[0], 'database_pool_refused_total')).toBeGreaterThan(0);

  await held.release();
  const again = await oneByOne(asks);
  expect(again.map(({ status }) => status)).toEqual(asks.map(() => 200));
});

const body = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 1, unit_amount: 1 }],
  customer: { name: 'A' },
};

test('orders without a connection are refused and not stored', async () => {
  const { keyString: key } = await platform.createKey();
  const order = (idempotencyKey: string) =>
    platform.request(0, 'POST', '/v2/order', { key, body, headers: { 'Idempotency-Key': idempotencyKey } });
  const orders = 'SELECT count(*)::int AS count FROM orders';
  held = await holdTable(platform.databases.business, 'events');
  const keys = Array.from({ length: 60 }, (_, i) => `order-${i}`);
  const responses = await Promise.all(keys.map(order));
  expect(responses.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
    keys.map(() => [503, '1']),
  );

  await held.release();
  expect(await query(platform.databases.business, orders)).toEqual([{ count: 0 }]);
  const again = await oneByOne(keys.map((name) => () => order(name)));
  expect(again.map(({ status }) => status)).toEqual(keys.map(() => 201));
  expect(await query(platform.databases.business, orders)).toEqual([{ count: keys.length }]);
});

test('a business that writes more than it can leaves the connections to all others', async () => {
  const businessId = await platform.createVerifiedBusiness('busy');
  const busy = [await platform.createKey({ businessId }), await platform.createKey({ businessId })];
  const { keyString: key } = await platform.createKey();
  const post = (key: string) => platform.request(0, 'POST', '/v2/order', { key, body });
  // As behind a writer of another replica.
  held = await holdLocks(
    platform.databases.business,
    `SELECT 1 FROM business_counters WHERE business_id = ${businessId} FOR UPDATE`,
  );
  const { waiting, release } = held;
  const writes = busy.flatMap(({ keyString }) => Array.from({ length: 60 }, () => post(keyString)));
  await expectEventually(async () => expect(await waiting()).toBeGreaterThan(0), { withinMs: 5_000 });
  for (let i = 0; i < 5; i++) {
    const others = await Promise.all([platform.request(0, 'GET', '/v2/order', { key }), post(key)]);
    expect(others.map(({ status }) => status)).toEqual([200, 201]);
  }
  await release();

  const statuses = (await Promise.all(writes)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  expect((await post(busy[0]?.keyString ?? '')).status).toBe(201);
  const orders = 'SELECT count(*)::int AS count FROM orders WHERE business_id = $1';
  const made = statuses.filter((status) => status === 201).length + 1;
  expect(await query(platform.databases.business, orders, [businessId])).toEqual([{ count: made }]);
});
