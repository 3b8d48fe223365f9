import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Dashboard } from '../harness/dashboard.ts';
import { makeKey } from '../harness/made-key.ts';
import {
  authorizeApplication,
  authorizePath,
  oauthClient,
  returned,
  submitConsent,
  tokensOf,
} from '../harness/oauth.ts';
import { makeOperator } from '../harness/operators.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { register, settings } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openOwner } from '../harness/team.ts';

const platform = running(sharedPlatform);

const created = z.object({ businessId: z.string() });

/** A sandbox of a person, as its dashboard. */
async function makeSandbox(person: DashboardPerson): Promise<Dashboard & { readonly businessId: number }> {
  const response = await person.call('POST', '/sandboxes');
  const { businessId } = created.parse(response.json());
  const own: Dashboard['own'] = (method, path, body) =>
    person.call(method, `/businesses/${businessId}${path}`, body);
  return { call: person.call, confirm: person.confirm, own, businessId: Number(businessId) };
}

const orderPage = z.object({ data: z.array(z.looseObject({ status: z.string(), number: z.int() })) });

async function ordersOf(key: string) {
  const response = await platform.request(0, 'GET', '/v2/order?limit=100', { key });
  return orderPage.parse(response.json()).data;
}

const businessesOf = async ({ call }: Pick<Dashboard, 'call'>) =>
  z
    .looseObject({ businesses: z.array(z.looseObject({ id: z.string() })) })
    .parse((await call('GET', '/session')).json()).businesses;

const allScopes = ['business:read', 'events:read', 'orders:read', 'orders:write'];
const restricted = { name: 'Trial', description: 'Tries', keyType: 'restricted', scopes: allScopes };

describe('a sandbox', () => {
  let ada: DashboardPerson;
  let sandbox: Awaited<ReturnType<typeof makeSandbox>>;
  let key: string;
  beforeAll(async () => {
    ada = await openOwner(platform);
    sandbox = await makeSandbox(ada);
    ({ keyString: key } = await makeKey(sandbox, restricted));
  });

  test('is verified at once, and marked in the session', async () => {
    expect(await businessesOf(ada)).toMatchObject([
      { id: String(ada.businessId), isSandbox: false, verification: 'unverified' },
      {
        id: String(sandbox.businessId),
        name: 'Sandbox',
        isSandbox: true,
        verification: 'verified',
        role: 'owner',
      },
    ]);
  });

  test('is marked by X-Sandbox in every response to its credentials, at every gateway, and no other business is', async () => {
    const narrow = await makeKey(sandbox, { ...restricted, scopes: ['orders:read'] });
    const responses = await Promise.all([
      platform.me(key, 0),
      platform.me(key, 1),
      platform.me(narrow.keyString),
      platform.request(0, 'GET', '/v2/nowhere', { key }),
      platform.request(0, 'GET', '/v2/order?limit=0', { key }),
    ]);
    expect(responses.map(({ status, headers }) => [status, headers['x-sandbox']])).toEqual(
      [200, 200, 403, 404, 400].map((status) => [status, 'true']),
    );
    const { keyString: real } = await platform.createKey({ businessId: ada.businessId });
    for (const { headers } of [await platform.me(real), await platform.me('sk_unknown')]) {
      expect(headers).not.toHaveProperty('x-sandbox');
    }
  });

  test('has the limits of any business, which operators are not asked to raise', async () => {
    const { apiKeys } = z
      .object({ apiKeys: z.array(z.looseObject({ id: z.string() })) })
      .parse((await sandbox.own('GET', '/api-keys')).json());
    expect(apiKeys[0]).toMatchObject({ rollingHour: { limit: 10_000 } });
    const asked = { kind: 'rate_limit', subjectId: apiKeys[0]?.id, limit: 20_000, reason: 'More' };
    expect(refusalOf(await sandbox.own('POST', '/limit-requests', asked))).toMatchObject({
      code: 409,
      reason: 'sandbox_limits',
    });
  });

  test('gets 50 orders in all states with their events, and loses them in a reset, after which numbers go on', async () => {
    expect((await sandbox.own('POST', '/sandbox/orders', { pace: 'at_once' })).status).toBe(204);
    const orders = await ordersOf(key);
    expect(orders).toHaveLength(50);
    expect([...new Set(orders.map(({ status }) => status))].sort()).toEqual([
      'cancelled',
      'fulfilled',
      'paid',
      'pending',
    ]);
    const events = await platform.request(0, 'GET', '/v2/events?types=order.fulfilled&limit=100', { key });
    expect(z.object({ data: z.array(z.unknown()) }).parse(events.json()).data).toHaveLength(10);
    const idempotent = { key, headers: { 'Idempotency-Key': 'a' }, body: draft };
    const before = await platform.request(0, 'POST', '/v2/order', idempotent);
    expect((await sandbox.own('DELETE', '/sandbox/orders')).status).toBe(204);
    expect(await ordersOf(key)).toEqual([]);
    const after = await platform.request(0, 'POST', '/v2/order', idempotent);
    expect(
      [before, after].map((response) => z.looseObject({ number: z.int() }).parse(response.json()).number),
    ).toEqual([1051, 1052]);
  });

  test('is not found by operators, by any part of its name, its key or its owner', async () => {
    const operator = await makeOperator(platform);
    const { username } = z.looseObject({ username: z.string() }).parse((await platform.me(key)).json());
    for (const text of [username, String(sandbox.businessId), key.slice(-4), ada.email]) {
      const { text: found } = await operator.call('GET', `/search?${new URLSearchParams({ text })}`);
      expect(found).not.toContain(`"id":${sandbox.businessId},`);
    }
    const { text: own } = await operator.call('GET', `/search?${new URLSearchParams({ text: ada.email })}`);
    expect(own).toContain(`"id":${ada.businessId},`);
  });

  test('is refused its operations in another business, with 404', async () => {
    for (const [method, path, body] of [
      ['GET', '/sandbox', undefined],
      ['POST', '/sandbox/orders', { pace: 'at_once' }],
      ['DELETE', '/sandbox/orders', undefined],
      ['DELETE', '/sandbox', undefined],
    ] as const) {
      expect(refusalOf(await ada.own(method, path, body))).toMatchObject({
        code: 404,
        reason: 'not_a_sandbox',
      });
    }
    for (const body of [{}, { pace: 'x' }, { pace: 'at_once', count: 1 }]) {
      expect((await sandbox.own('POST', '/sandbox/orders', body)).status).toBe(400);
    }
  });
});

const draft = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Ada' },
};

describe('an app and a business are connected', () => {
  let ada: DashboardPerson;
  let makers: Awaited<ReturnType<typeof makeSandbox>>;
  beforeAll(async () => {
    ada = await openOwner(platform);
    makers = await makeSandbox(ada);
  });

  test('when both are sandboxes of the same person, which the consent page says', async () => {
    const app = await register(makers, { ...ada, businessId: makers.businessId });
    const page = await ada.browser.open(authorizePath(app));
    expect(page.text).toContain('an app of a sandbox, for tests');
    const { code, verifier } = await authorizeApplication(ada.browser, app);
    const { accessToken } = tokensOf(await oauthClient(platform, app).exchange(code, verifier));
    const me = await platform.me(accessToken);
    expect([me.status, me.headers['x-sandbox']]).toEqual([200, 'true']);
    expect(me.json()).toMatchObject({ id: makers.businessId });
  });

  test('never when only one is a sandbox, nor when both are of different people', async () => {
    await platform.businessRpc.SubmitVerification(
      { businessId: ada.businessId, ...facts },
      { deadlineMs: 30_000 },
    );
    await platform.businessRpc.ApproveVerification({ businessId: ada.businessId }, { deadlineMs: 30_000 });
    const [eve, cyd] = await Promise.all([openOwner(platform), openOwner(platform)]);
    const evesSandbox = await makeSandbox(eve);
    const adasApp = await register(makers, { ...ada, businessId: makers.businessId });
    const realApp = await register(ada, ada);
    const denial = async (person: DashboardPerson, app: typeof realApp) =>
      returned(await person.browser.open(authorizePath(app))).error_description;
    // Eve has a sandbox and an unverified business, Cyd the latter alone.
    expect(await denial(eve, adasApp)).toBe(
      'an app of a sandbox connects only with sandboxes of the same person',
    );
    expect(await denial(cyd, adasApp)).toBe(
      'an app of a sandbox connects only with sandboxes of the same person',
    );
    await platform.sql('DELETE FROM memberships WHERE person_id = $1 AND business_id = $2', [
      eve.id,
      eve.businessId,
    ]);
    expect(await denial(eve, realApp)).toBe(
      'a sandbox connects only with apps of sandboxes of the same person',
    );
    // Ada has both, and is asked for the one in reach alone.
    for (const [app, own, other] of [
      [adasApp, makers.businessId, ada.businessId],
      [realApp, ada.businessId, makers.businessId],
    ] as const) {
      await ada.browser.open(authorizePath(app));
      const { text } = ada.browser.page.response;
      expect(text).toContain(`name="business" value="${own}"`);
      expect(text).not.toContain(`value="${other}"`);
      expect((await submitConsent(ada.browser, 'approve', { business: String(other) })).status).toBe(403);
    }
    expect(
      await platform.sql('SELECT 1 FROM grants WHERE business_id = $1', [evesSandbox.businessId]),
    ).toEqual([]);
  });

  test('not when one becomes a sandbox between the page and its approval', async () => {
    const app = await platform.createApplication({
      businessId: await platform.createVerifiedBusiness('maker'),
    });
    await ada.browser.open(authorizePath(app));
    await platform.sql('INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)', [
      app.businessId,
      'prs_x',
    ]);
    expect(returned(await submitConsent(ada.browser, 'approve'))).toMatchObject({ error: 'access_denied' });
    expect(await platform.sql('SELECT 1 FROM grants WHERE application_id = $1', [app.id])).toEqual([]);
  });
});

const facts = { legalName: 'Engines Ltd', registrationNumber: 'HRB 1', country: 'DE' };

describe('a sandbox ends', () => {
  const everything = async (businessId: number) =>
    (
      await Promise.all(
        ['api_keys', 'applications', 'memberships', 'invitations', 'retired_strings'].map((table) =>
          platform.sql(`SELECT 1 FROM ${table} WHERE business_id = $1`, [businessId]),
        ),
      )
    ).flat();

  test('at the press of its owner, with its keys, apps, connections and orders, and makes room for another', async () => {
    const ada = await openOwner(platform);
    const sandboxes = [];
    for (let n = 0; n < 5; n++) sandboxes.push(await makeSandbox(ada));
    expect(refusalOf(await ada.call('POST', '/sandboxes'))).toMatchObject({
      code: 409,
      reason: 'sandbox_limit_reached',
    });
    const [sandbox, other] = sandboxes;
    if (sandbox === undefined || other === undefined) throw new Error('expected sandboxes');
    const { keyString } = await makeKey(sandbox, restricted);
    expect((await sandbox.own('POST', '/sandbox/orders', { pace: 'at_once' })).status).toBe(204);
    const app = await register(other, { ...ada, businessId: other.businessId }, { scopes: settings.scopes });
    await ada.browser.open(authorizePath(app));
    await submitConsent(ada.browser, 'approve', { business: String(sandbox.businessId) });
    expect((await platform.me(keyString)).status).toBe(200);
    expect((await sandbox.own('DELETE', '/sandbox')).status).toBe(204);
    expect([(await platform.me(keyString, 0)).status, (await platform.me(keyString, 1)).status]).toEqual([
      401, 401,
    ]);
    expect(await everything(sandbox.businessId)).toEqual([]);
    expect(
      await query(platform.databases.business, 'SELECT 1 FROM orders WHERE business_id = $1', [
        sandbox.businessId,
      ]),
    ).toEqual([]);
    expect(
      await platform.sql('SELECT 1 FROM grants WHERE business_id = $1 AND ended_at IS NULL', [
        sandbox.businessId,
      ]),
    ).toEqual([]);
    expect((await sandbox.own('GET', '/sandbox')).status).toBe(404);
    expect((await ada.call('POST', '/sandboxes')).status).toBe(201);
  });
});
