import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { orderBody } from '../harness/business-platform.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { awaitMailAbout } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openOwner } from '../harness/team.ts';

const platform = running(sharedPlatform);

async function makeSandbox({ call }: DashboardPerson): Promise<number> {
  const response = await call('POST', '/sandboxes');
  return Number(z.object({ businessId: z.string() }).parse(response.json()).businessId);
}

const age = (businessId: number, column: 'created_at' | 'warned_at', days: number) =>
  platform.sql(
    `UPDATE sandboxes SET ${column} = clock_timestamp() - make_interval(days => $2) WHERE business_id = $1`,
    [businessId, days],
  );

/** Rounds come every ten seconds. */
const rounds = { withinMs: 30_000 };

test('a sandbox gets ten orders, one a minute, and none after a reset', async () => {
  const ada = await openOwner(platform);
  const businessId = await makeSandbox(ada);
  const { keyString: key } = await platform.createKey({ businessId });
  const path = `/businesses/${businessId}/sandbox`;
  expect((await ada.call('POST', `${path}/orders`, { pace: 'minutely' })).status).toBe(204);
  const state = async () => (await ada.call('GET', path)).json();
  const orders = async () =>
    (await platform.request(0, 'GET', '/v2/order', { key })).text.split('"ord_').length - 1;
  await expectEventually(
    async () => expect([await state(), await orders()]).toEqual([{ ordersDue: 9, endsAt: null }, 1]),
    rounds,
  );
  await platform.sql(
    "UPDATE sandboxes SET next_order_at = next_order_at - interval '1 minute' WHERE business_id = $1",
    [businessId],
  );
  await expectEventually(
    async () => expect([await state(), await orders()]).toEqual([{ ordersDue: 8, endsAt: null }, 2]),
    rounds,
  );
  expect((await ada.call('DELETE', `${path}/orders`)).status).toBe(204);
  expect([await state(), await orders()]).toEqual([{ ordersDue: 0, endsAt: null }, 0]);
});

test('a sandbox ends 90 days after its last request, two weeks after an email to its owners, unless a request comes', async () => {
  const [ada, eve] = await Promise.all([openOwner(platform), openOwner(platform)]);
  const [unused, used] = [await makeSandbox(ada), await makeSandbox(eve)];
  const { keyString, id } = await platform.createKey({ businessId: used });
  const members = (businessId: number) =>
    platform.sql('SELECT 1 FROM memberships WHERE business_id = $1', [businessId]);
  for (const businessId of [unused, used]) await age(businessId, 'created_at', 77);
  for (const { email } of [ada, eve]) {
    const { text } = await awaitMailAbout(platform.mailDirectory, email, 'A sandbox will end soon');
    expect(text).toContain('Any API request keeps it for another 90 days.');
  }
  expect(await members(unused)).toHaveLength(1);
  // A request, as the gateway reports it within seconds.
  await platform.sql(
    `INSERT INTO usage_hours (business_id, hour, limit_id, count_2xx, count_4xx, count_429, count_5xx)
     VALUES ($1, date_trunc('hour', clock_timestamp()), $2, 1, 0, 0, 0)`,
    [used, id],
  );
  for (const businessId of [unused, used]) await age(businessId, 'warned_at', 15);
  await expectEventually(async () => expect(await members(unused)).toEqual([]), rounds);
  await awaitMailAbout(platform.mailDirectory, ada.email, 'A sandbox has ended');
  expect((await eve.call('GET', `/businesses/${used}/sandbox`)).json()).toEqual({
    ordersDue: 0,
    endsAt: null,
  });
  expect((await platform.me(keyString)).status).toBe(200);
});

test('two processes that end the same sandbox end it once, and the owner gets one email', async () => {
  const ada = await openOwner(platform);
  const businessId = await makeSandbox(ada);
  for (let n = 0; n < 3; n++) await platform.createApplication({ businessId });
  const path = `/businesses/${businessId}/sandbox`;
  const responses = await Promise.all([1, 2, 3].map(() => ada.call('DELETE', path)));
  expect(responses.map(({ status }) => status)).toContain(204);
  for (const { status } of responses) expect([204, 403, 404]).toContain(status);
  const ended = "SELECT 1 FROM audit_events WHERE business_id = $1 AND action = 'business.ended'";
  expect(await platform.sql(ended, [businessId])).toHaveLength(1);
  expect(await platform.sql('SELECT 1 FROM applications WHERE business_id = $1', [businessId])).toEqual([]);
});

test('invented orders are limited to thirty presses an hour', async () => {
  const ada = await openOwner(platform);
  const businessId = await makeSandbox(ada);
  const press = () => ada.call('POST', `/businesses/${businessId}/sandbox/orders`, { pace: 'minutely' });
  expect((await press()).status).toBe(204);
  await platform.sql('UPDATE throttle_counts SET count = 2000000000 WHERE key LIKE $1', ['sandbox-orders:%']);
  expect(refusalOf(await press())).toMatchObject({ code: 429 });
  await platform.sql("DELETE FROM throttle_counts WHERE key LIKE 'sandbox-orders:%'");
});

test('an end that fails has ended the team, and a later round deletes the rest, also what came meanwhile', async () => {
  const ada = await openOwner(platform);
  const businessId = await makeSandbox(ada);
  const { keyString } = await platform.createKey({ businessId });
  expect((await platform.request(0, 'POST', '/v2/order', { key: keyString, body: orderBody })).status).toBe(
    201,
  );
  const [business] = platform.businesses;
  await business?.stop();
  expect((await ada.call('DELETE', `/businesses/${businessId}/sandbox`)).status).toBe(503);
  await business?.start();
  await untilBusinessIsBack(platform);
  expect((await ada.call('GET', `/businesses/${businessId}/sandbox`)).status).toBe(404);
  expect((await platform.me(keyString)).status).toBe(401);
  // As requests do that were in progress. This process too has to reach business-service again.
  const late = await expectEventually(() => platform.createKey({ businessId }), { withinMs: 5_000 });
  await platform.sql('UPDATE sandboxes SET orders_due = 5, next_order_at = now() WHERE business_id = $1', [
    businessId,
  ]);
  await platform.sql(
    "UPDATE sandboxes SET ended_at = ended_at - interval '2 minutes' WHERE business_id = $1",
    [businessId],
  );
  const cleared = () =>
    platform.sql('SELECT 1 FROM sandboxes WHERE business_id = $1 AND cleared_at IS NOT NULL', [businessId]);
  await expectEventually(async () => expect(await cleared()).toHaveLength(1), rounds);
  expect((await platform.me(late.keyString)).status).toBe(401);
  expect(
    await query(platform.databases.business, 'SELECT 1 FROM orders WHERE business_id = $1', [businessId]),
  ).toEqual([]);
});

test('of several sandboxes that are made at once, no more than five exist, each with a name of its own', async () => {
  const ada = await openOwner(platform);
  const responses = await Promise.all(Array.from({ length: 16 }, () => ada.call('POST', '/sandboxes')));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
  for (const { status } of responses) expect([201, 409]).toContain(status);
  const [first] = responses.filter(({ status }) => status === 201);
  const { businessId } = z.object({ businessId: z.string() }).parse(first?.json());
  expect((await ada.call('DELETE', `/businesses/${businessId}/sandbox`)).status).toBe(204);
  expect((await ada.call('POST', '/sandboxes')).status).toBe(201);
  const { businesses } = z
    .looseObject({ businesses: z.array(z.looseObject({ name: z.string(), isSandbox: z.boolean() })) })
    .parse((await ada.call('GET', '/session')).json());
  expect(businesses.filter(({ isSandbox, name }) => isSandbox && name === 'Sandbox 6')).toHaveLength(1);
});

test('with SANDBOXES=off people make no sandboxes, and existing ones go on', async () => {
  const closed = await startPlatform({ identityEnv: { SANDBOXES: 'off' } });
  try {
    const ada = await openOwner(closed);
    expect((await ada.call('GET', '/session')).json()).toMatchObject({ maySandbox: false });
    expect(refusalOf(await ada.call('POST', '/sandboxes'))).toMatchObject({
      code: 409,
      reason: 'sandboxes_off',
    });
    await closed.sql('INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)', [
      ada.businessId,
      ada.id,
    ]);
    const { keyString } = await closed.createKey({ businessId: ada.businessId });
    const me = await closed.me(keyString);
    expect([me.status, me.headers['x-sandbox']]).toEqual([200, 'true']);
  } finally {
    await closed.close();
  }
});
