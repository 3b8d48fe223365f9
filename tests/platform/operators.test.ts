import { beforeAll, describe, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import {
  inviteOperator,
  makeOperator,
  openConsole,
  protect,
  type TestOperator,
} from '../harness/operators.ts';
import { logInWithPasskey, signUpWithPasskey } from '../harness/passkeys.ts';
import { awaitMail, joinBusiness, logIn, newAddress, signUp, type TestPerson } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { operationsOf, printedDocument, sampleOf } from '../harness/sweep/dashboard-document.ts';

/** Admission to the operators' console: the role is read from the database for each request, on every replica. */

const platform = running(sharedPlatform);
let ada: TestOperator;
beforeAll(async () => {
  ada = await makeOperator(platform);
});

const onOtherGateway = async ({ browser }: Pick<TestPerson, 'browser'>) => {
  const other = createBrowser(platform.gatewayPorts[1] ?? 0);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return openConsole(other);
};

const remove = (email: string) => adminJsonOn(platform, 'operator', 'remove', '--email', email);

test('an invited person with a second factor is an operator, on every gateway', async () => {
  const response = await ada.call('GET', '/session');
  expect([response.status, response.json()]).toEqual([200, { email: ada.email }]);
  expect((await (await onOtherGateway(ada)).call('GET', '/queue')).status).toBe(200);
  const { operators } = await adminJsonOn(platform, 'operator', 'list');
  expect(operators).toContainEqual(expect.objectContaining({ email: ada.email, hasSecondFactor: true }));
  expect((await adminOn(platform, 'operator', 'invite', '--email', ada.email)).err).toContain(
    'already an operator',
  );
});

test('an invited person without an account signs up without a business, and keeps the account', async () => {
  const email = newAddress('operator');
  const link = `/operators/join?token=${await inviteOperator(platform, email)}`;
  const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
  await browser.open(`/signup?continue=${encodeURIComponent(link)}`);
  await browser.submit('/signup', { email });
  const form = await browser.open((await awaitMail(platform.mailDirectory, email, 2)).link);
  expect(form.text).toContain('You are invited to the operators’ console.');
  expect(form.text).not.toContain('name="username"');
  const password = 'seven brass wheels turning';
  const done = await browser.submit('/signup/confirm', { name: 'Olga', password });
  expect([done.status, done.headers.location]).toEqual([303, link]);
  const memberships = 'SELECT 1 FROM memberships JOIN people ON id = person_id WHERE email = $1';
  expect(await platform.sql(memberships, [email])).toEqual([]);
  expect((await browser.send('GET', '/dashboard-api/profile')).json()).toMatchObject({ email });
  await protect({ browser, password });
  const { call } = await openConsole(browser);
  expect((await call('POST', '/join', { token: link.split('=')[1] })).status).toBe(204);
});

test('a removed operator is refused with the next request on every gateway, in the session that goes on', async () => {
  const bob = await makeOperator(platform);
  const other = await onOtherGateway(bob);
  expect([(await bob.call('GET', '/queue')).status, (await other.call('GET', '/queue')).status]).toEqual([
    200, 200,
  ]);
  await remove(bob.email);
  const refused = { code: 403, reason: 'not_operator' };
  expect(refusalOf(await bob.call('GET', '/queue'))).toMatchObject(refused);
  expect(refusalOf(await other.call('GET', '/queue'))).toMatchObject(refused);
  const token = await inviteOperator(platform, bob.email);
  expect((await bob.call('POST', '/join', { token })).status).toBe(204);
  expect((await other.call('GET', '/queue')).status).toBe(200);
  await remove(bob.email);
  expect((await adminOn(platform, 'operator', 'remove', '--email', bob.email)).code).toBe(1);
});

describe('the session of an operator', () => {
  test('is refused when the second factor is turned off', async () => {
    const bob = await makeOperator(platform);
    const page = '/account/second-factor';
    await bob.browser.open(page);
    const fields = { password: bob.password, code: bob.app.code(), do: 'off' };
    await bob.browser.submitAndFollow(`${page}/change`, fields);
    const opened = await openConsole(bob.browser);
    expect(refusalOf(await opened.call('GET', '/queue'))).toMatchObject({
      code: 403,
      reason: 'second_factor_required',
    });
    await remove(bob.email);
  });

  test('is accepted after a login with only a passkey, until the passkey is removed', async () => {
    const bob = await signUpWithPasskey(platform);
    const token = await inviteOperator(platform, bob.email);
    const { browser } = await logInWithPasskey(platform, bob.device);
    const opened = await openConsole(browser);
    expect((await opened.call('POST', '/join', { token })).status).toBe(204);
    expect((await opened.call('GET', '/queue')).status).toBe(200);
    const dashboard = await openDashboard(bob, browser);
    const [code] = bob.recoveryCodes;
    const confirmation = { password: bob.password, code };
    const removed = await dashboard.call('DELETE', `/profile/passkeys/${bob.passkeyId}`, confirmation);
    expect(removed.status).toBe(204);
    expect((await opened.call('GET', '/queue')).status).toBeGreaterThanOrEqual(401);
    await remove(bob.email);
  });

  test('is refused 12 hours after its login', async () => {
    const bob = await makeOperator(platform);
    const age = 'UPDATE sessions SET created_at = created_at - $2::interval WHERE person_id = $1';
    await platform.sql(age, [bob.id, '11 hours 50 minutes']);
    expect((await bob.call('GET', '/queue')).status).toBe(200);
    await platform.sql(age, [bob.id, '11 minutes']);
    expect(refusalOf(await bob.call('GET', '/queue'))).toMatchObject({ code: 403, reason: 'login_too_old' });
    await remove(bob.email);
  });
});

test('a session that tried to turn off an absent second factor ends when one is turned on', async () => {
  const bob = await signUp(platform);
  const browser = await logIn(platform, bob);
  const { csrfToken } = JSON.parse((await browser.send('GET', '/dashboard-api/session')).text);
  const off = await browser.send('DELETE', '/dashboard-api/profile/second-factor', {
    headers: { 'X-CSRF-Token': csrfToken },
    body: { password: bob.password },
  });
  expect(refusalOf(off).reason).toBe('second_factor_off');
  await protect(bob);
  expect((await browser.send('GET', '/dashboard-api/session')).status).toBe(401);
});

describe('an invitation is refused', () => {
  test('without a second factor, and stays valid', async () => {
    const bob = await signUp(platform);
    const token = await inviteOperator(platform, bob.email);
    const { call } = await openConsole(bob.browser);
    expect(refusalOf(await call('POST', '/join', { token }))).toMatchObject({
      reason: 'second_factor_required',
    });
    await protect(bob);
    const strong = await openConsole(bob.browser);
    expect((await strong.call('POST', '/join', { token })).status).toBe(204);
    expect(refusalOf(await strong.call('POST', '/join', { token }))).toMatchObject({
      code: 409,
      reason: 'invitation_over',
    });
    await remove(bob.email);
  });

  test('if it is for another address, replaced, expired or invented', async () => {
    const [bob, eve] = [await signUp(platform), await signUp(platform)];
    await Promise.all([protect(bob), protect(eve)]);
    const first = await inviteOperator(platform, bob.email);
    const token = await inviteOperator(platform, bob.email);
    const [bobs, eves] = [await openConsole(bob.browser), await openConsole(eve.browser)];
    expect(refusalOf(await eves.call('POST', '/join', { token }))).toMatchObject({
      reason: 'invitation_of_another',
    });
    const over = { code: 409, reason: 'invitation_over' };
    for (const wrong of [first, 'oi_x', '']) {
      expect(refusalOf(await bobs.call('POST', '/join', { token: wrong }))).toMatchObject(over);
    }
    const expire =
      "UPDATE operator_invitations SET expires_at = now() - interval '1 second' WHERE email = $1";
    await platform.sql(expire, [bob.email]);
    expect(refusalOf(await bobs.call('POST', '/join', { token }))).toMatchObject(over);
  });
});

const document = printedDocument('operators');
const operations = operationsOf(document).map((operation) => [operation.id, operation] as const);
const others = operations.filter(([id]) => id !== 'acceptOperatorInvitation');

describe('every operation', () => {
  let people: Record<string, TestPerson>;
  let businessId: number;
  beforeAll(async () => {
    const [owner, member, removed] = await Promise.all([
      signUp(platform),
      signUp(platform),
      makeOperator(platform),
    ]);
    businessId = owner.businessId;
    await joinBusiness(platform, member, businessId, 'developer');
    await remove(removed.email);
    people = { owner, member, 'removed operator': removed };
  });

  const attempt = async (
    { browser }: Pick<TestPerson, 'browser'>,
    [, operation]: (typeof operations)[number],
    token?: string,
    changed: (body: Record<string, unknown>) => unknown = (body) => body,
  ) => {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      name === 'businessId' ? String(businessId) : 'none',
    );
    const resolve = (reference: string) =>
      document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
    const query = operation.id === 'search' ? '?text=x' : '';
    return browser.send(operation.method, `/operators/api/v1${path}${query}`, {
      headers: token === undefined ? {} : { 'X-CSRF-Token': token },
      ...(operation.body && { body: changed(sampleOf(operation.body, resolve) as Record<string, unknown>) }),
    });
  };
  const tokenOf = async ({ browser }: Pick<TestPerson, 'browser'>) =>
    JSON.parse((await browser.send('GET', '/dashboard-api/session')).text).csrfToken;

  test.each(operations)('%s: 401 for a stranger', async (...operation) => {
    const stranger = { browser: createBrowser(platform.gatewayPorts[0] ?? 0) };
    expect(refusalOf(await attempt(stranger, operation))).toMatchObject({ code: 401 });
  });

  test.each(others)('%s: 403 for an owner, a member, a removed operator', async (...operation) => {
    for (const [who, person] of Object.entries(people)) {
      const response = refusalOf(await attempt(person, operation, await tokenOf(person)));
      expect({ who, ...response }).toMatchObject({ who, code: 403, reason: 'not_operator' });
    }
  });

  test.each(others.filter(([, { method }]) => method !== 'GET'))(
    '%s: 403 without a CSRF token, 400 for half of a character, a wrong type, an unknown field and too much',
    async (...operation) => {
      expect(refusalOf(await attempt(ada, operation))).toMatchObject({ code: 403 });
      const token = await tokenOf(ada);
      const wrong: ((body: Record<string, unknown>) => unknown)[] = [
        (body) => ({ ...body, reason: 'a\ud800b' }),
        (body) => ({ ...body, reason: 'x'.repeat(501) }),
        (body) => ({ ...body, reason: ' ' }),
        (body) => ({ ...body, reason: 'two\nlines' }),
        (body) => ({ ...body, reason: '\u202egnp' }),
        (body) => ({ ...body, reason: 7 }),
        (body) => ({ ...body, actor: 'eve' }),
        ({ reason, ...body }) => body,
        () => [],
      ];
      for (const change of wrong) {
        expect((await attempt(ada, operation, token, change)).status).toBe(400);
      }
      expect((await attempt(ada, operation, token, () => ({ reason: 'x'.repeat(70_000) }))).status).toBe(413);
    },
  );

  test('a business or an object that does not exist is 404', async () => {
    const reason = 'because';
    for (const path of ['/businesses/999999999/ban', '/businesses/0/ban', '/businesses/x/ban']) {
      expect((await ada.call('POST', path, { reason })).status).toBe(404);
    }
    expect((await ada.call('GET', '/businesses/999999999')).status).toBe(404);
    const app = `/businesses/${businessId}/applications/apl_none`;
    expect((await ada.call('POST', `${app}/suspend`, { reason })).status).toBe(404);
    expect((await ada.call('PUT', `${app}/limit`, { limit: 60, reason })).status).toBe(404);
    expect((await ada.call('POST', '/limit-requests/lrq_none/grant', { reason })).status).toBe(404);
  });
});
