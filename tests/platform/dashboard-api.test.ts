import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { request } from '../harness/http-request.ts';
import { signUp, signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

test('the session names the person and the businesses of that person', async () => {
  const ada = await signUpVerified(platform);
  const { call } = await openDashboard(ada, ada.browser);
  const response = await call('GET', '/session');
  expect(response.status).toBe(200);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.json()).toMatchObject({
    person: { id: ada.id, name: ada.name, email: ada.email, secondFactor: false },
    businesses: [{ id: String(ada.businessId), role: 'owner', verification: 'verified', frozen: false }],
  });
  expect(response.text).not.toMatch(/argon2|passwordSetAt/);
});

test('a request without a login gets 401 in the common error format', async () => {
  const stranger = createBrowser(platform.gatewayPorts[0] ?? 0);
  const response = await stranger.send('GET', '/dashboard-api/session');
  expect([response.status, response.json()]).toEqual([
    401,
    { error: 'Log in first.', status: 'Unauthorized', code: 401 },
  ]);
});

test('an unknown path gets 404, and an unsupported method 405', async () => {
  const ada = await signUp(platform);
  const nowhere = await ada.browser.send('GET', '/dashboard-api/nowhere');
  expect([nowhere.status, nowhere.json()]).toMatchObject([404, { code: 404 }]);
  const notHere = await ada.browser.send('DELETE', '/dashboard-api/session');
  expect([notHere.status, notHere.headers.allow]).toEqual([405, 'GET']);
});

test('a repeated field is refused by name, since it could turn a restricted key into a secret one', async () => {
  const ada = await signUp(platform);
  const { csrfToken } = z
    .object({ csrfToken: z.string() })
    .parse((await ada.browser.send('GET', '/dashboard-api/session')).json());
  const response = await ada.browser.send('POST', `/dashboard-api/businesses/${ada.businessId}/api-keys`, {
    headers: { 'X-CSRF-Token': csrfToken, 'Content-Type': 'application/json; charset=utf8' },
    body: '{"name":"Shop","keyType":"restricted","scopes":["orders:read"],"keyType":"secret"}',
  });
  expect([response.status, response.json()]).toMatchObject([
    400,
    { reason: 'invalid_input', fields: { keyType: 'is given twice' } },
  ]);
});

test('an unknown or repeated parameter is refused by name', async () => {
  const ada = await signUp(platform);
  const { call } = await openDashboard(ada, ada.browser);
  const unknown = await call('GET', '/session?colour=red');
  expect([unknown.status, unknown.json()]).toMatchObject([
    400,
    { fields: { colour: 'does not belong here' } },
  ]);
  const twice = await call('GET', '/session?a=1&a=2');
  expect([twice.status, twice.json()]).toMatchObject([400, { fields: { a: 'is given twice' } }]);
  expect((await call('GET', '/session?a=')).status).toBe(200);
});

test('a request with both an invalid parameter and an invalid body fails without ending a process', async () => {
  const ada = await signUp(platform);
  const { csrfToken } = z
    .object({ csrfToken: z.string() })
    .parse((await ada.browser.send('GET', '/dashboard-api/session')).json());
  for (const body of ['{"emails":1}', '{', JSON.stringify({ emails: 'x'.repeat(300_000) })]) {
    const response = await ada.browser.send('PATCH', '/dashboard-api/notices/topics?colour=red', {
      headers: { 'X-CSRF-Token': csrfToken, 'Content-Type': 'application/json' },
      body,
    });
    expect([response.status, response.json()]).toMatchObject([
      400,
      { fields: { colour: 'does not belong here' } },
    ]);
  }
  for (const { ports } of platform.identities)
    expect((await request(ports.ops ?? 0, 'GET', '/readyz')).status).toBe(200);
});
