import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { actionsOf } from '../harness/audit-events.ts';
import { authenticatorOf } from '../harness/authenticator.ts';
import { type Browser, createBrowser, hiddenFields } from '../harness/browser.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { signUpWithPasskey } from '../harness/passkeys.ts';
import { awaitMail, logIn, signUp, type TestPerson } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const next = 'a loom that weaves algebra';

const platform = running(sharedPlatform);

interface Owner extends TestPerson {
  readonly dashboard: Dashboard;
}

async function openProfile(): Promise<Owner> {
  const person = await signUp(platform);
  return { ...person, dashboard: await openDashboard(person, person.browser) };
}

const offered = z.object({
  secret: z.string(),
  uri: z.string(),
  qr: z.object({ size: z.number(), path: z.string() }),
});
const withCodes = z.object({ recoveryCodes: z.array(z.string()) });
const listed = z.object({
  sessions: z.array(z.object({ ref: z.string(), browser: z.string(), isThisOne: z.boolean() })),
});

/** Turns the second factor on. `code` gives codes of the app that were not used yet. */
async function protect({ dashboard, password }: Owner) {
  const offer = await dashboard.call('POST', '/profile/second-factor', { password });
  const { secret } = offered.parse(offer.json());
  const { code, earliestCode } = authenticatorOf(secret);
  const confirmed = await dashboard.call('POST', '/profile/second-factor/confirm', {
    code: await earliestCode(),
  });
  return { secret, code, recoveryCodes: withCodes.parse(confirmed.json()).recoveryCodes };
}

const sessionsOf = async ({ call }: Dashboard) =>
  listed.parse((await call('GET', '/profile/sessions')).json()).sessions;

const isLoggedIn = async (browser: Browser) =>
  (await browser.send('GET', '/dashboard-api/session')).status === 200;

const canLogIn = (person: TestPerson, password: string) =>
  logIn(platform, { ...person, password }).then(
    () => true,
    () => false,
  );

test('the profile shows the person and no secret', async () => {
  const { dashboard, ...ada } = await openProfile();
  const response = await dashboard.call('GET', '/profile');
  expect(response.json()).toEqual({
    id: ada.id,
    name: ada.name,
    email: ada.email,
    passwordSetAt: expect.stringMatching(/^20\d\d-.*Z$/),
    secondFactor: false,
    passkeys: 0,
    recoveryCodesLeft: 0,
  });
});

describe('the password', () => {
  test('is changed, which ends other sessions and gives the current one a new id and token', async () => {
    const ada = await openProfile();
    const elsewhere = await logIn(platform, ada, 1);
    const before = ada.browser.session;
    const { csrfToken } = z
      .object({ csrfToken: z.string() })
      .parse((await ada.dashboard.call('GET', '/session')).json());
    const body = { current: ada.password, next };
    const response = await ada.dashboard.call('POST', '/profile/password', body);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers['x-csrf-token']).toMatch(/^[\w-]{43}$/);
    expect(response.headers['x-csrf-token']).not.toBe(csrfToken);
    expect(ada.browser.session).not.toBe(before);
    expect([await isLoggedIn(ada.browser), await isLoggedIn(elsewhere)]).toEqual([true, false]);
    expect([await canLogIn(ada, next), await canLogIn(ada, ada.password)]).toEqual([true, false]);
    expect((await awaitMail(platform.mailDirectory, ada.email, 2)).subject).toBe('Your password was changed');
    // The next change needs the new token, which the response carried.
    expect((await ada.dashboard.call('DELETE', '/profile/sessions')).status).toBe(200);
    expect(await actionsOf(platform, ada)).toContain('person.password_changed');
  });

  test('is changed, which invalidates earlier CSRF tokens', async () => {
    const ada = await openProfile();
    const old = z
      .object({ csrfToken: z.string() })
      .parse((await ada.browser.send('GET', '/dashboard-api/session')).json()).csrfToken;
    await ada.dashboard.call('POST', '/profile/password', { current: ada.password, next });
    const headers = { 'X-CSRF-Token': old };
    const response = await ada.browser.send('DELETE', '/dashboard-api/profile/sessions', { headers });
    expect(response.status).toBe(403);
  });

  test('is not changed without the old one, nor to a weak one; the invalid field is named', async () => {
    const ada = await openProfile();
    const errorsOf = async (body: object) => {
      const response = await ada.dashboard.call('POST', '/profile/password', body);
      return [response.status, refusalOf(response).fields];
    };
    expect(await errorsOf({ current: 'not my password at all', next })).toEqual([400, ['current']]);
    expect(await errorsOf({ current: ada.password, next: 'short' })).toEqual([400, ['next']]);
    expect(await errorsOf({ current: ada.password, next: ada.password })).toEqual([400, ['next']]);
    expect(await canLogIn(ada, ada.password)).toBe(true);
  });
});

describe('the second factor', () => {
  test('is offered with a picture, confirmed by a code, and returns recovery codes once', async () => {
    const ada = await openProfile();
    const offer = await ada.dashboard.call('POST', '/profile/second-factor', { password: ada.password });
    const { secret, uri, qr } = offered.parse(offer.json());
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(qr.path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/);
    expect(offer.headers['cache-control']).toBe('no-store');

    const wrong = await ada.dashboard.call('POST', '/profile/second-factor/confirm', { code: '000000' });
    expect([wrong.status, wrong.json()]).toMatchObject([
      400,
      { reason: 'wrong_code', fields: { code: expect.any(String) } },
    ]);

    const { recoveryCodes } = await protect(ada);
    expect(recoveryCodes).toHaveLength(10);
    const profile = await ada.dashboard.call('GET', '/profile');
    expect(profile.json()).toMatchObject({ secondFactor: true, recoveryCodesLeft: 10 });
    for (const code of recoveryCodes) expect(profile.text).not.toContain(code);
    expect(await canLogIn(ada, ada.password)).toBe(false);
    expect(await actionsOf(platform, ada)).toEqual(['person.signed_up', 'person.second_factor_enabled']);
  });

  test('offered in one session is confirmed in no other', async () => {
    const ada = await openProfile();
    const elsewhere = await openDashboard(ada, await logIn(platform, ada, 1));
    const offer = await elsewhere.call('POST', '/profile/second-factor', { password: ada.password });
    const code = await authenticatorOf(offered.parse(offer.json()).secret).earliestCode();
    const refused = await ada.dashboard.call('POST', '/profile/second-factor/confirm', { code });
    expect([refused.status, refused.json()]).toMatchObject([409, { reason: 'nothing_offered' }]);
    const confirmed = await elsewhere.call('POST', '/profile/second-factor/confirm', { code });
    expect(confirmed.status).toBe(200);
  });

  test('turning it on or off gives the session a new id, and the dashboard goes on with the new token', async () => {
    const ada = await openProfile();
    const ids = [ada.browser.session];
    const { code } = await protect(ada);
    ids.push(ada.browser.session);
    const confirmation = { password: ada.password, code: code() };
    const off = await ada.dashboard.call('DELETE', '/profile/second-factor', confirmation);
    expect(off.status).toBe(204);
    ids.push(ada.browser.session);
    expect(new Set(ids).size).toBe(3);
    expect((await ada.dashboard.call('GET', '/profile')).json()).toMatchObject({ secondFactor: false });
    expect(await canLogIn(ada, ada.password)).toBe(true);
  });

  test('does not change without the password', async () => {
    const ada = await openProfile();
    const password = 'not my password at all';
    const begun = await ada.dashboard.call('POST', '/profile/second-factor', { password });
    await protect(ada);
    const renewed = await ada.dashboard.call('POST', '/profile/second-factor/recovery-codes', { password });
    const off = await ada.dashboard.call('DELETE', '/profile/second-factor', { password });
    for (const response of [begun, renewed, off]) {
      expect([response.status, response.json()]).toMatchObject([
        400,
        { reason: 'wrong_password', fields: { password: 'Incorrect password.' } },
      ]);
    }
    expect((await ada.dashboard.call('GET', '/profile')).json()).toMatchObject({ secondFactor: true });
  });

  test.each([
    ['new recovery codes', 'POST', '/profile/second-factor/recovery-codes', 200],
    ['turning it off', 'DELETE', '/profile/second-factor', 204],
  ])('%s: takes a code besides the password', async (_, method, path, done) => {
    const ada = await openProfile();
    const { code, recoveryCodes } = await protect(ada);
    const { password } = ada;
    const reasonOf = async (body: object) => refusalOf(await ada.dashboard.call(method, path, body)).reason;
    expect(await reasonOf({ password })).toBe('code_required');
    expect(await reasonOf({ password, code: '000000' })).toBe('wrong_code');
    expect(await actionsOf(platform, ada)).toContain('person.second_factor_failed');
    expect((await ada.dashboard.call('GET', '/profile')).json()).toMatchObject({ recoveryCodesLeft: 10 });
    const [recoveryCode = ''] = recoveryCodes;
    const shown = method === 'POST' ? code() : recoveryCode;
    expect((await ada.dashboard.call(method, path, { password, code: shown })).status).toBe(done);
  });

  test('new recovery codes replace the old ones', async () => {
    const ada = await openProfile();
    const { recoveryCodes: old, code } = await protect(ada);
    const body = { password: ada.password, code: code() };
    const renewed = await ada.dashboard.call('POST', '/profile/second-factor/recovery-codes', body);
    const { recoveryCodes } = withCodes.parse(renewed.json());
    const logInBy = async (code = '') => {
      const browser = createBrowser(platform.gatewayPorts[1] ?? 0);
      await browser.open('/login');
      await browser.submitAndFollow('/login', { email: ada.email, password: ada.password });
      return (await browser.submit('/login/second-factor', { code })).status;
    };
    expect([await logInBy(old[0]), await logInBy(recoveryCodes[0])]).toEqual([400, 303]);
    expect((await ada.dashboard.call('GET', '/profile')).json()).toMatchObject({ recoveryCodesLeft: 9 });
  });

  test('an app that is off is not turned off, for a person with passkeys: the code is checked, and the session stays as it is', async () => {
    const ada = await signUpWithPasskey(platform);
    const { password } = ada;
    const session = ada.browser.session;
    const outcomes = [];
    for (const code of ['000000', 'aaaaa-bbbbb', ada.recoveryCodes[0]]) {
      const response = await ada.dashboard.call('DELETE', '/profile/second-factor', { password, code });
      outcomes.push([response.status, refusalOf(response).reason]);
    }
    expect(outcomes).toEqual([
      [400, 'wrong_code'],
      [400, 'wrong_code'],
      [409, 'second_factor_off'],
    ]);
    const page = '/account/second-factor';
    const hidden = hiddenFields((await ada.browser.open(page)).text, `${page}/begin`);
    const statuses = [];
    for (const code of ['aaaaa-bbbbb', ada.recoveryCodes[1] ?? '']) {
      const form = { ...hidden, password, code, do: 'off' };
      statuses.push((await ada.browser.send('POST', `${page}/change`, { form })).status);
    }
    expect(statuses).toEqual([400, 303]);
    expect(ada.browser.session).toBe(session);
    expect(await actionsOf(platform, ada)).not.toContain('person.second_factor_disabled');
  });

  test('a change that does not fit its state is 409 with the reason', async () => {
    const ada = await openProfile();
    const body = { password: ada.password };
    const early = await ada.dashboard.call('POST', '/profile/second-factor/confirm', { code: '123456' });
    const codes = await ada.dashboard.call('POST', '/profile/second-factor/recovery-codes', body);
    const off = await ada.dashboard.call('DELETE', '/profile/second-factor', body);
    const { code } = await protect(ada);
    const again = await ada.dashboard.call('POST', '/profile/second-factor', { ...body, code: code() });
    expect([early, codes, off, again].map((response) => [response.status, response.json()])).toMatchObject([
      [409, { reason: 'nothing_offered' }],
      [409, { reason: 'second_factor_off' }],
      [409, { reason: 'second_factor_off' }],
      [409, { reason: 'second_factor_on' }],
    ]);
  });
});

describe('sessions', () => {
  test('are listed with browser and address, with the current one marked and without their secrets', async () => {
    const ada = await openProfile();
    const phone = await logIn(platform, ada, 1);
    const sessions = await sessionsOf(ada.dashboard);
    expect(sessions.map(({ isThisOne }) => isThisOne).sort()).toEqual([false, true]);
    const { text } = await ada.dashboard.call('GET', '/profile/sessions');
    for (const { session } of [ada.browser, phone]) {
      const [, id = ''] = /^s%3A([\w-]+)\./.exec(session ?? '') ?? [];
      expect(id.length).toBeGreaterThan(20);
      expect(text).not.toContain(id);
    }
  });

  test('are ended one by one, on every replica', async () => {
    const ada = await openProfile();
    const phone = await logIn(platform, ada, 1);
    const other = (await sessionsOf(ada.dashboard)).find(({ isThisOne }) => !isThisOne)?.ref;
    expect((await ada.dashboard.call('DELETE', `/profile/sessions/${other}`)).status).toBe(204);
    expect([await isLoggedIn(phone), await isLoggedIn(ada.browser)]).toEqual([false, true]);
    expect((await ada.dashboard.call('DELETE', `/profile/sessions/${other}`)).status).toBe(404);
    expect(
      (await actionsOf(platform, ada)).filter((action) => action === 'person.session_ended'),
    ).toHaveLength(1);
  });

  test('of another person are not found', async () => {
    const [ada, eve] = [await openProfile(), await openProfile()];
    const [theirs] = await sessionsOf(eve.dashboard);
    expect((await ada.dashboard.call('DELETE', `/profile/sessions/${theirs?.ref}`)).status).toBe(404);
    expect((await ada.dashboard.call('DELETE', '/profile/sessions')).json()).toEqual({ ended: 0 });
    expect(await isLoggedIn(eve.browser)).toBe(true);
  });

  test('can all be ended except the current one', async () => {
    const ada = await openProfile();
    const others = [await logIn(platform, ada), await logIn(platform, ada, 1)];
    expect((await ada.dashboard.call('DELETE', '/profile/sessions')).json()).toEqual({ ended: 2 });
    expect(await Promise.all([ada.browser, ...others].map(isLoggedIn))).toEqual([true, false, false]);
  });

  test('can be ended including the current one', async () => {
    const ada = await openProfile();
    const [own] = await sessionsOf(ada.dashboard);
    expect((await ada.dashboard.call('DELETE', `/profile/sessions/${own?.ref}`)).status).toBe(204);
    expect(await isLoggedIn(ada.browser)).toBe(false);
  });
});

test('the profile is not changed without the CSRF token of the session', async () => {
  const ada = await openProfile();
  const body = { current: ada.password, next };
  const responses = [
    await ada.browser.send('POST', '/dashboard-api/profile/password', { body }),
    await ada.browser.send('DELETE', '/dashboard-api/profile/sessions'),
    await ada.browser.send('POST', '/dashboard-api/profile/second-factor', {
      body: { password: ada.password },
      headers: { 'X-CSRF-Token': 'A'.repeat(43) },
    }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await canLogIn(ada, ada.password)).toBe(true);
});
