import { beforeEach, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { adminOn } from '../harness/admin.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { authorizePath, connect, returned } from '../harness/oauth.ts';
import { newApplication } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openOwner } from '../harness/team.ts';

/*
 * Promise: a key, an app or a connection whose scope no document of the API has now keeps it, shows it, and can do
 * nothing by it.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
});

/** Gives a row a scope, as it has after its document was taken away. */
const keepScope = (table: 'api_keys' | 'applications' | 'grants', id: string) =>
  platform.sql(`UPDATE ${table} SET scopes = array_prepend('invoices:read', scopes) WHERE id = $1`, [id]);

async function keyWithGoneScope() {
  const key = await makeKey(ada, { ...restricted, scopes: ['orders:read'] });
  await keepScope('api_keys', key.id);
  return key;
}

/** Resolves to the outcome and the scopes that count. */
async function authorize(bearer: string, requiredScope: string) {
  const client = createGrpcClient(authorizationService, {
    target: platform.targets.identity,
    tls: { kind: 'plain' },
  });
  const request = { bearer, clientIp: '192.0.2.1', requiredScope };
  const { outcome, principal } = await client.rpc.Authorize(request, { deadlineMs: 30_000 });
  client.close();
  return [outcome, principal?.scopes];
}

test('A key keeps a scope that no document names, which opens nothing.', async () => {
  const { keyString } = await keyWithGoneScope();
  expect(await authorize(keyString, 'orders:read')).toEqual(['OUTCOME_ALLOWED', ['orders:read']]);
  expect(await authorize(keyString, 'invoices:read')).toEqual(['OUTCOME_SCOPE_DENIED', ['orders:read']]);
  expect((await platform.request(0, 'GET', '/v2/order', { key: keyString })).status).toBe(200);
});

test('A change of a key may keep such a scope and drop it, but not add it.', async () => {
  const { id, keyString } = await keyWithGoneScope();
  const setScopes = async (...scopes: string[]) => {
    const { status, text } = await ada.own('PATCH', `/api-keys/${id}`, { scopes });
    return status === 200 ? JSON.parse(text).apiKey.scopes : [status, JSON.parse(text).reason];
  };
  expect(await setScopes('invoices:read', 'business:read')).toEqual(['business:read', 'invoices:read']);
  expect((await platform.me(keyString)).status).toBe(200);
  expect(await setScopes('business:read', 'payroll:read')).toEqual([400, 'unknown_scope']);
  expect(await setScopes('business:read')).toEqual(['business:read']);
  expect(await setScopes('business:read', 'invoices:read')).toEqual([400, 'unknown_scope']);
  const { status, text } = await ada.own('POST', '/api-keys', { ...restricted, scopes: ['invoices:read'] });
  expect([status, JSON.parse(text)]).toMatchObject([400, { fields: { scopes: expect.any(String) } }]);
});

test('The dashboard and the operator see such a scope of a key.', async () => {
  const { id } = await keyWithGoneScope();
  expect((await ada.own('GET', `/api-keys/${id}`)).json()).toMatchObject({
    scopes: ['invoices:read', 'orders:read'],
    scopeUses: [{ scope: 'invoices:read' }, { scope: 'orders:read' }],
  });
  const { out } = await adminOn(platform, 'key', 'get', '--business', String(ada.businessId), '--key', id);
  expect(out).toContain('invoices:read (not part of the API now),orders:read');
});

test('An app that still has such a scope cannot ask for it, and a person sees none without a text.', async () => {
  const { app, person } = await newApplication(platform, { scopes: ['orders:read'] });
  await keepScope('applications', app.id);
  const asking = await person.browser.send('GET', authorizePath(app, { scope: 'invoices:read' }));
  expect(returned(asking)).toMatchObject({ error: 'invalid_scope' });
  const { status, text } = await person.browser.open(authorizePath(app));
  expect([status, text.includes('See your orders'), text.includes('invoices')]).toEqual([200, true, false]);
});

test('A connection with such a scope goes on without it, and is shown with it.', async () => {
  const { app, person, dashboard } = await newApplication(platform, { scopes: ['orders:read'] });
  const { accessToken } = await connect(platform, person.browser, app);
  const [grant] = await platform.sql<{ id: string }>('SELECT id FROM grants WHERE application_id = $1', [
    app.id,
  ]);
  await keepScope('applications', app.id);
  await keepScope('grants', grant?.id ?? '');
  await platform.sql(
    `UPDATE access_tokens SET scopes = array_prepend('invoices:read', scopes) WHERE grant_id = $1`,
    [grant?.id],
  );
  expect(await authorize(accessToken, 'orders:read')).toEqual(['OUTCOME_ALLOWED', ['orders:read']]);
  expect(await authorize(accessToken, 'invoices:read')).toEqual(['OUTCOME_SCOPE_DENIED', ['orders:read']]);
  expect((await dashboard.own('GET', '/connections')).json()).toMatchObject({
    connections: [{ scopes: [{ scope: 'invoices:read', used: false }, { scope: 'orders:read' }] }],
  });
  const page = await person.browser.open('/account/applications');
  expect(page.text).toMatch(/invoices:read <span class="soft">\(not part of the API now\)/);
  const { out } = await adminOn(platform, 'grant', 'list', '--business', String(person.businessId));
  expect(out).toContain('invoices:read (not part of the API now),orders:read');
});
