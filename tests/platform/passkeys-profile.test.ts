import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { actionsOf } from '../harness/audit-events.ts';
import { authenticatorOf } from '../harness/authenticator.ts';
import type { Browser } from '../harness/browser.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { type HeldLocks, holdLocks } from '../harness/hold-table.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import type { Lie } from '../harness/passkey-device.ts';
import {
  addPasskey,
  beginPasskey,
  challengeFor,
  logInWithPasskey,
  newDevice,
  optionsOf,
  signUpWithPasskey,
} from '../harness/passkeys.ts';
import { awaitMail, logIn, mailsTo, newAddress, signUp } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

const isLoggedIn = async (browser: Browser) =>
  (await browser.send('GET', '/dashboard-api/session')).status === 200;

async function open() {
  const person = await signUp(platform);
  return { ...person, dashboard: await openDashboard(person, person.browser) };
}

const listed = z.object({
  origin: z.string().nullable(),
  passkeys: z.array(z.object({ id: z.string(), name: z.string(), isBackedUp: z.boolean() })),
});

const passkeysOf = async ({ call }: Dashboard) =>
  listed.parse((await call('GET', '/profile/passkeys')).json());

const deviceMails = (email: string) => mailsTo(platform.mailDirectory, email).map(({ subject }) => subject);

/** Turns the authenticator app on. */
async function turnAppOn(dashboard: Dashboard, password: string, code?: string) {
  const offer = await dashboard.call('POST', '/profile/second-factor', { password, code });
  const { secret } = z.object({ secret: z.string() }).parse(offer.json());
  const app = authenticatorOf(secret);
  await dashboard.call('POST', '/profile/second-factor/confirm', { code: await app.earliestCode() });
  return app;
}

describe('adding a passkey', () => {
  test('requires the password, and the first passkey ends other sessions and comes with recovery codes', async () => {
    const ada = await open();
    const elsewhere = await logIn(platform, ada, 1);
    const wrong = await ada.dashboard.call('POST', '/profile/passkeys/options', {
      password: 'not mine at all',
    });
    expect([wrong.status, refusalOf(wrong).fields]).toEqual([400, ['password']]);
    const before = ada.browser.session;
    const added = await addPasskey(ada.dashboard, newDevice(platform), { password: ada.password });
    expect(added.recoveryCodes).toHaveLength(10);
    expect(ada.browser.session).not.toBe(before);
    expect([await isLoggedIn(ada.browser), await isLoggedIn(elsewhere)]).toEqual([true, false]);
    expect((await awaitMail(platform.mailDirectory, ada.email, 2)).subject).toBe('A passkey was added');
    const { origin, passkeys } = await passkeysOf(ada.dashboard);
    expect(origin).toBe(`http://localhost:${new URL(platform.publicUrl).port}`);
    expect(passkeys).toEqual([{ id: added.id, name: 'Key', isBackedUp: false }]);
    const profile = await ada.dashboard.call('GET', '/profile');
    expect(profile.json()).toMatchObject({ secondFactor: false, passkeys: 1, recoveryCodesLeft: 10 });
  });

  test('requires a code of the authenticator app if it is on, and gives no new recovery codes', async () => {
    const ada = await open();
    const app = await turnAppOn(ada.dashboard, ada.password);
    const path = '/profile/passkeys/options';
    const without = await ada.dashboard.call('POST', path, { password: ada.password });
    expect([without.status, refusalOf(without)]).toMatchObject([
      400,
      { reason: 'code_required', fields: ['code'] },
    ]);
    const wrong = await ada.dashboard.call('POST', path, { password: ada.password, code: '000000' });
    expect([wrong.status, refusalOf(wrong).reason]).toEqual([400, 'wrong_code']);
    const confirmation = { password: ada.password, code: app.code() };
    const { recoveryCodes } = await addPasskey(ada.dashboard, newDevice(platform), confirmation);
    expect(recoveryCodes).toEqual([]);
  });

  test('requires a passkey or a recovery code if the account already has a passkey', async () => {
    const ada = await signUpWithPasskey(platform);
    const path = '/profile/passkeys/options';
    const without = await ada.dashboard.call('POST', path, { password: ada.password });
    expect(refusalOf(without).reason).toBe('code_required');
    const asked = await ada.dashboard.call('POST', '/profile/passkeys/confirmation');
    const passkey = ada.device.get(optionsOf(asked));
    await addPasskey(ada.dashboard, newDevice(platform), { password: ada.password, passkey });
    const again = await ada.dashboard.call('POST', path, { password: ada.password, passkey });
    expect([again.status, refusalOf(again).reason]).toEqual([400, 'wrong_passkey']);
    const [code = ''] = ada.recoveryCodes;
    await addPasskey(ada.dashboard, newDevice(platform), { password: ada.password, code });
    expect((await passkeysOf(ada.dashboard)).passkeys).toHaveLength(3);
  });

  const lies: readonly [string, Lie][] = [
    ['of another origin', { origin: 'http://localhost:1' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['without a present user', { isPresent: false }],
    ['of a login', { type: 'webauthn.get' }],
    ['with a challenge of its own', { challenge: Buffer.alloc(32).toString('base64url') }],
  ];
  test('is refused when the response is not that of our page and this request', async () => {
    const ada = await open();
    for (const [name, lie] of lies) {
      const options = await beginPasskey(ada.dashboard, { password: ada.password });
      const credential = newDevice(platform).create(options, lie);
      const response = await ada.dashboard.call('POST', '/profile/passkeys', { name: 'Key', credential });
      expect([name, response.status, refusalOf(response).reason]).toEqual([name, 400, 'passkey_refused']);
    }
    expect((await passkeysOf(ada.dashboard)).passkeys).toEqual([]);
  });

  test('is refused with the challenge of a login, of another session, or one that was used', async () => {
    const ada = await open();
    const elsewhere = await logIn(platform, ada, 1);
    const there = await openDashboard(ada, elsewhere);
    const foreign = await beginPasskey(there, { password: ada.password });
    const visitor = (await logInPage()).options;
    const used = await beginPasskey(ada.dashboard, { password: ada.password });
    await ada.dashboard.call('POST', '/profile/passkeys', {
      name: 'Key',
      credential: newDevice(platform).create(used, { isVerified: false }),
    });
    for (const options of [foreign, visitor, used]) {
      const body = { name: 'Key', credential: newDevice(platform).create(options) };
      const response = await ada.dashboard.call('POST', '/profile/passkeys', body);
      expect([response.status, refusalOf(response).reason]).toEqual([400, 'passkey_refused']);
    }
  });

  test('is refused if an account already has it, and beyond ten', async () => {
    const ada = await signUpWithPasskey(platform);
    const grace = await open();
    const options = await beginPasskey(grace.dashboard, { password: grace.password });
    const body = { name: 'Key', credential: ada.device.create(options) };
    const known = await grace.dashboard.call('POST', '/profile/passkeys', body);
    expect([known.status, refusalOf(known).reason]).toEqual([409, 'passkey_known']);
    // It is still that of the first account.
    const lie = { userHandle: Buffer.from(ada.id).toString('base64url') };
    expect((await logInWithPasskey(platform, ada.device, { lie })).response.status).toBe(303);

    const fill = `INSERT INTO passkeys (id, person_id, credential_id, public_key, sign_count, is_backed_up, name)
      SELECT 'psk_' || $1 || n, $1, convert_to($1 || n, 'UTF8'), 'x', 0, false, 'Key' FROM generate_series(1, 8) n`;
    await platform.sql(fill, [ada.id]);
    const [first = '', second = '', third = ''] = ada.recoveryCodes;
    const pending = await beginPasskey(ada.dashboard, { password: ada.password, code: first });
    await addPasskey(ada.dashboard, newDevice(platform), { password: ada.password, code: second });
    const late = { name: 'Key', credential: newDevice(platform).create(pending) };
    const eleventh = await ada.dashboard.call('POST', '/profile/passkeys', late);
    expect([eleventh.status, refusalOf(eleventh).reason]).toEqual([409, 'too_many_passkeys']);
    const confirmation = { password: ada.password, code: third };
    const begun = await ada.dashboard.call('POST', '/profile/passkeys/options', confirmation);
    expect([begun.status, refusalOf(begun).reason]).toEqual([409, 'too_many_passkeys']);
  });

  test('names malformed fields, and refuses a body above its limit', async () => {
    const ada = await open();
    const options = await beginPasskey(ada.dashboard, { password: ada.password });
    const credential = newDevice(platform).create(options);
    const { response } = credential;
    const cases: readonly [unknown, string][] = [
      [{ name: '', credential }, 'name'],
      [{ name: 'x'.repeat(51), credential }, 'name'],
      [{ name: 'two\nlines', credential }, 'name'],
      [{ name: 'Key', credential: { ...credential, id: '+/=' } }, 'credential.id'],
    ];
    for (const [body, field] of cases) {
      const refused = await ada.dashboard.call('POST', '/profile/passkeys', body);
      expect([field, refused.status, refusalOf(refused).fields]).toEqual([field, 400, [field]]);
    }
    for (const attestationObject of ['AA', 'oA', 'ow', Buffer.from('x'.repeat(200)).toString('base64url')]) {
      const body = {
        name: 'Key',
        credential: { ...credential, response: { ...response, attestationObject } },
      };
      expect((await ada.dashboard.call('POST', '/profile/passkeys', body)).status).toBe(400);
    }
    const large = { name: 'Key', credential: { ...credential, more: 'x'.repeat(70_000) } };
    expect((await ada.dashboard.call('POST', '/profile/passkeys', large)).status).toBe(413);
  });
});

/** A challenge of the login page. */
async function logInPage() {
  const { browser } = await logInWithPasskey(platform, newDevice(platform));
  await browser.open('/login');
  return { options: await challengeFor(browser) };
}

test('a passkey can be renamed by its owner', async () => {
  const ada = await signUpWithPasskey(platform);
  const path = `/profile/passkeys/${ada.passkeyId}`;
  expect((await ada.dashboard.call('PATCH', path, { name: '  Laptop ' })).status).toBe(204);
  expect((await passkeysOf(ada.dashboard)).passkeys).toMatchObject([{ name: 'Laptop' }]);
  expect((await ada.dashboard.call('PATCH', path, { name: ' ' })).status).toBe(400);
  const grace = await open();
  expect((await grace.dashboard.call('PATCH', path, { name: 'Mine' })).status).toBe(404);
});

describe('removing a passkey', () => {
  test('takes password and second factor; it ends at once, with the sessions that began with it', async () => {
    const ada = await signUpWithPasskey(platform);
    const thief = (await logInWithPasskey(platform, ada.device, { gateway: 1 })).browser;
    expect(await isLoggedIn(thief)).toBe(true);
    const path = `/profile/passkeys/${ada.passkeyId}`;
    const without = await ada.dashboard.call('DELETE', path, { password: ada.password });
    expect([without.status, refusalOf(without).reason]).toEqual([400, 'code_required']);
    const [code = ''] = ada.recoveryCodes;
    const grace = await open();
    expect((await grace.dashboard.call('DELETE', path, { password: grace.password })).status).toBe(404);
    const removed = await ada.dashboard.call('DELETE', path, { password: ada.password, code });
    expect(removed.status).toBe(204);
    expect([await isLoggedIn(ada.browser), await isLoggedIn(thief)]).toEqual([true, false]);
    for (const gateway of [0, 1]) {
      expect((await logInWithPasskey(platform, ada.device, { gateway })).response.status).toBe(400);
    }
    await awaitMail(platform.mailDirectory, ada.email, 3);
    // Two replicas may take one each: their order is not promised.
    expect(deviceMails(ada.email).slice(1).sort()).toEqual(['A passkey was added', 'A passkey was removed']);
    expect(await actionsOf(platform, ada)).toEqual([
      'person.signed_up',
      'person.passkey_added',
      'person.logged_in',
      'person.passkey_removed',
    ]);
    // It was the last second factor: the password is enough again, and no recovery code is left.
    await logIn(platform, ada);
    expect((await ada.dashboard.call('GET', '/profile')).json()).toMatchObject({ recoveryCodesLeft: 0 });
  });

  test('keeps the current session, even if it began with that passkey', async () => {
    const ada = await signUpWithPasskey(platform);
    const { browser } = await logInWithPasskey(platform, ada.device);
    const dashboard = await openDashboard(ada, browser);
    const [code = ''] = ada.recoveryCodes;
    const path = `/profile/passkeys/${ada.passkeyId}`;
    expect((await dashboard.call('DELETE', path, { password: ada.password, code })).status).toBe(204);
    expect(await isLoggedIn(browser)).toBe(true);
  });

  test('and turning off the app keep recovery codes while another second factor is left', async () => {
    const ada = await signUpWithPasskey(platform);
    const left = async () => (await ada.dashboard.call('GET', '/profile')).json();
    const app = await turnAppOn(ada.dashboard, ada.password, ada.recoveryCodes[0]);
    expect(await left()).toMatchObject({ recoveryCodesLeft: 10 });
    const confirmation = { password: ada.password, code: app.code() };
    expect((await ada.dashboard.call('DELETE', '/profile/second-factor', confirmation)).status).toBe(204);
    expect(await left()).toMatchObject({ secondFactor: false, passkeys: 1, recoveryCodesLeft: 10 });
  });
});

test('a passkey confirms a change of the account, in place of a code', async () => {
  const ada = await signUpWithPasskey(platform);
  const change = { email: newAddress('ada'), password: ada.password };
  expect(refusalOf(await ada.dashboard.call('POST', '/profile/email', change)).reason).toBe('code_required');
  const { options: visitor } = await logInPage();
  const login = ada.device.get(visitor);
  const refused = await ada.dashboard.call('POST', '/profile/email', { ...change, passkey: login });
  expect(refusalOf(refused).reason).toBe('wrong_passkey');
  const asked = await ada.dashboard.call('POST', '/profile/passkeys/confirmation');
  const passkey = ada.device.get(optionsOf(asked));
  expect((await ada.dashboard.call('POST', '/profile/email', { ...change, passkey })).status).toBe(204);
});

test('turning on an app in addition to a passkey requires the passkey or a recovery code', async () => {
  const ada = await signUpWithPasskey(platform);
  const { password } = ada;
  const path = '/profile/second-factor';
  expect(refusalOf(await ada.dashboard.call('POST', path, { password })).reason).toBe('code_required');
  const asked = await ada.dashboard.call('POST', '/profile/passkeys/confirmation');
  const passkey = ada.device.get(optionsOf(asked));
  expect((await ada.dashboard.call('POST', path, { password, passkey })).status).toBe(200);

  const page = '/account/second-factor';
  await ada.browser.open(page);
  const statuses = [];
  for (const code of ['', ...ada.recoveryCodes.slice(0, 1), ...ada.recoveryCodes.slice(0, 1)]) {
    await ada.browser.open(page);
    statuses.push((await ada.browser.submit(`${page}/begin`, { password, code })).status);
  }
  expect(statuses).toEqual([400, 200, 400]);
});

test('the link to a replaced email address removes passkeys that were added since', async () => {
  const ada = await signUpWithPasskey(platform);
  const [code = '', second = ''] = ada.recoveryCodes;
  // Its email goes to the address of the moment at which it is sent.
  await awaitMail(platform.mailDirectory, ada.email, 2);
  const email = newAddress('thief');
  await ada.dashboard.call('POST', '/profile/email', { email, password: ada.password, code });
  await ada.browser.open((await awaitMail(platform.mailDirectory, email)).link);
  expect((await ada.browser.submitAndFollow('/account/email/confirm')).status).toBe(200);
  const thief = newDevice(platform);
  await addPasskey(await openDashboard(ada, ada.browser), thief, { password: ada.password, code: second });
  const undo = await awaitMail(platform.mailDirectory, ada.email, 3);
  await ada.browser.open(undo.link);
  await ada.browser.submitAndFollow('/account/email/undo');
  expect((await logInWithPasskey(platform, thief)).response.status).toBe(400);
  expect((await logInWithPasskey(platform, ada.device)).response.status).toBe(303);
});

describe('while a change waits for a reset of the password', () => {
  /** Does as a reset, in the transaction that the change waits for. */
  async function reset(held: HeldLocks, personId: string) {
    await held.run("UPDATE people SET password_hash = 'x', password_set_at = now() WHERE id = $1", [
      personId,
    ]);
    await held.run('DELETE FROM sessions WHERE person_id = $1', [personId]);
  }
  async function duringReset(personId: string, send: () => Promise<HttpResponse>) {
    const lock = 'SELECT 1 FROM people WHERE id = $1 FOR UPDATE';
    const held = await holdLocks(platform.databases.identity, lock, [personId]);
    const response = send();
    await held.untilWaiting(1);
    await reset(held, personId);
    await held.release();
    return response;
  }
  const rowsOf = (table: string, personId: string) =>
    platform.sql(`SELECT 1 FROM ${table} WHERE person_id = $1`, [personId]);

  test('no passkey can be added, since the session has ended', async () => {
    const ada = await open();
    const options = await beginPasskey(ada.dashboard, { password: ada.password });
    const body = { name: 'Key', credential: newDevice(platform).create(options) };
    const added = await duringReset(ada.id, () => ada.dashboard.call('POST', '/profile/passkeys', body));
    expect(added.status).toBe(401);
    expect(await rowsOf('passkeys', ada.id)).toEqual([]);
    expect(await actionsOf(platform, ada)).toEqual(['person.signed_up']);
  });

  test.each([
    ['the app is not turned off', 'DELETE', () => '/profile/second-factor'],
    ['no passkey is removed', 'DELETE', (id: string) => `/profile/passkeys/${id}`],
    ['recovery codes stay', 'POST', () => '/profile/second-factor/recovery-codes'],
  ])('%s: the password was another one', async (_, method, path) => {
    const ada = await signUpWithPasskey(platform);
    const [code] = ada.recoveryCodes;
    const send = () => ada.dashboard.call(method, path(ada.passkeyId), { password: ada.password, code });
    expect(refusalOf(await duringReset(ada.id, send)).reason).toBe('wrong_password');
    expect(await rowsOf('passkeys', ada.id)).toHaveLength(1);
    const unused = 'SELECT 1 FROM recovery_codes WHERE person_id = $1 AND used_at IS NULL';
    expect(await platform.sql(unused, [ada.id])).toHaveLength(10);
  });
});
