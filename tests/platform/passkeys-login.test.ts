import { beforeAll, describe, expect, test } from '@jest/globals';
import { actionsOf } from '../harness/audit-events.ts';
import { type Browser, createBrowser } from '../harness/browser.ts';
import type { Lie } from '../harness/passkey-device.ts';
import {
  challengeFor,
  finishWith,
  logInWithPasskey,
  newDevice,
  optionsOf,
  type PasskeyPerson,
  signUpWithPasskey,
} from '../harness/passkeys.ts';
import { awaitMailAbout, mailsTo } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);
let ada: PasskeyPerson;
beforeAll(async () => {
  ada = await signUpWithPasskey(platform);
});

const newBrowser = (gateway = 0) => createBrowser(platform.gatewayPorts[gateway] ?? 0);
const isLoggedIn = async (browser: Browser) =>
  (await browser.send('GET', '/dashboard-api/session')).status === 200;
const refusedText = 'This passkey was not accepted.';

/** A browser in which the password was accepted, and the second factor is awaited. */
async function afterPassword(person: PasskeyPerson, gateway = 0): Promise<Browser> {
  const browser = newBrowser(gateway);
  await browser.open('/login');
  await browser.submitAndFollow('/login', { email: person.email, password: person.password });
  expect(browser.page.path).toMatch(/^\/login\/second-factor/);
  return browser;
}

/** The session of a visitor in another browser, through a gateway. */
async function sameVisitor(visitor: Browser, gateway: number): Promise<Browser> {
  const copy = newBrowser(gateway);
  for (const [name, value] of visitor.cookies) copy.cookies.set(name, value);
  await copy.open('/login');
  return copy;
}

test('a passkey that was added through one gateway logs in through the other, without a password', async () => {
  const grace = await signUpWithPasskey(platform);
  const browser = newBrowser(1);
  await browser.open('/login?continue=/account/sessions');
  const visitor = browser.session;
  const response = await finishWith(browser, grace.device.get(await challengeFor(browser)));
  expect([response.status, response.headers.location]).toEqual([303, '/account/sessions']);
  expect(browser.session).not.toBe(visitor);
  expect(await isLoggedIn(browser)).toBe(true);
  expect(await actionsOf(platform, grace)).toEqual([
    'person.signed_up',
    'person.passkey_added',
    'person.logged_in',
  ]);
});

test('the login page allows only its own script, and asks for a passkey of any person', async () => {
  const browser = newBrowser();
  const page = await browser.open('/login');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).toContain("script-src 'self';");
  expect(page.text).toContain('autocomplete="username webauthn"');
  const script = /<script src="([^"]+)" defer><\/script>/.exec(page.text)?.[1] ?? '';
  expect((await browser.send('GET', script)).status).toBe(200);
  const options = await challengeFor(browser);
  expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
});

describe('a login is refused', () => {
  const lies: readonly [string, Lie][] = [
    ['of another origin', { origin: 'http://localhost:1' }],
    ['of another site with our address in its name', { origin: 'http://localhost.evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['without user verification', { isVerified: false }],
    ['without a present user', { isPresent: false }],
    ['signed by another key', { withOtherKey: true }],
    ['of a new passkey', { type: 'webauthn.create' }],
    ['with the handle of another person', { userHandle: Buffer.from('per_other').toString('base64url') }],
    ['with a challenge of its own', { challenge: Buffer.alloc(32).toString('base64url') }],
  ];
  test.each(lies)('%s', async (_, lie) => {
    const { browser, response } = await logInWithPasskey(platform, ada.device, { lie });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(refusedText)]);
    expect(await isLoggedIn(browser)).toBe(false);
  });

  test('with a passkey that no account has: the same response', async () => {
    const { response } = await logInWithPasskey(platform, newDevice(platform));
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(refusedText)]);
  });

  test('when its challenge was used before, also through the other gateway', async () => {
    // A passkey that does not count: its counter refuses nothing.
    const { device } = await signUpWithPasskey(platform, true);
    const browser = newBrowser();
    await browser.open('/login');
    const signed = device.get(await challengeFor(browser));
    const copies = await Promise.all([0, 1].map((gateway) => sameVisitor(browser, gateway)));
    expect((await finishWith(browser, signed)).status).toBe(303);
    for (const copy of copies) expect((await finishWith(copy, signed)).status).toBe(400);
  });

  test('when one challenge is sent several times at once: one of them logs in', async () => {
    const { device } = await signUpWithPasskey(platform, true);
    const browser = newBrowser();
    await browser.open('/login');
    const signed = device.get(await challengeFor(browser));
    const copies = await Promise.all([0, 1, 0, 1].map((gateway) => sameVisitor(browser, gateway)));
    const responses = await Promise.all(copies.map((copy) => finishWith(copy, signed)));
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400]);
  });

  test('when its challenge has expired', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    const options = await challengeFor(browser);
    const challenge = Buffer.from(String(options.challenge), 'base64url');
    const expire =
      'UPDATE passkey_challenges SET expires_at = clock_timestamp() WHERE challenge = $1 RETURNING 1';
    expect(await platform.sql(expire, [challenge])).toHaveLength(1);
    expect((await finishWith(browser, ada.device.get(options))).status).toBe(400);
  });

  test('when its challenge was made for another session', async () => {
    const thief = newBrowser();
    await thief.open('/login');
    const victim = newBrowser(1);
    await victim.open('/login');
    const signed = ada.device.get(await challengeFor(victim));
    expect((await finishWith(thief, signed)).status).toBe(400);
    // It was not used up: the session for which it was made has it still.
    expect((await finishWith(victim, signed)).status).toBe(303);
  });

  test('when its challenge was made for another purpose', async () => {
    const asked = await ada.dashboard.call('POST', '/profile/passkeys/confirmation');
    const confirm = optionsOf(asked);
    const browser = await afterPassword(ada);
    expect((await finishWith(browser, ada.device.get(confirm), '/login/second-factor/passkey')).status).toBe(
      400,
    );
    await browser.open('/login');
    const alone = await challengeFor(browser);
    await browser.open('/login/second-factor');
    const sent = await finishWith(browser, ada.device.get(alone), '/login/second-factor/passkey');
    expect(sent.status).toBe(400);
  });

  test('when the account was deleted', async () => {
    const grace = await signUpWithPasskey(platform);
    await platform.sql('DELETE FROM people WHERE id = $1', [grace.id]);
    expect((await logInWithPasskey(platform, grace.device)).response.status).toBe(400);
  });
});

describe('a malformed login', () => {
  type Change = readonly [string, (valid: Record<string, unknown>) => unknown];
  const changes: readonly Change[] = [
    ['no object', () => 'x'],
    ['null', () => null],
    ['an empty object', () => ({})],
    ['an array', (valid) => [valid]],
    ...['id', 'rawId', 'type', 'response'].flatMap((field) =>
      [null, 1, '', 'ü', '='.repeat(8), { a: 1 }, 'a'.repeat(2_000)].map(
        (value) =>
          [
            `${field}: ${JSON.stringify(value).slice(0, 20)}`,
            (valid: object) => ({ ...valid, [field]: value }),
          ] as const,
      ),
    ),
    ...['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'].flatMap((field) =>
      [
        1,
        'ü',
        'AA',
        { a: 1 },
        Buffer.from('{').toString('base64url'),
        Buffer.from('null').toString('base64url'),
        Buffer.from('{"challenge":1}').toString('base64url'),
      ].map(
        (value) =>
          [
            `response.${field}: ${JSON.stringify(value)}`,
            (valid: Record<string, unknown>) => ({
              ...valid,
              response: { ...Object(valid.response), [field]: value },
            }),
          ] as const,
      ),
    ),
  ];
  test('with any malformed credential gets 400', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    for (const [name, change] of changes) {
      const valid = { ...ada.device.get(await challengeFor(browser)) };
      const { status } = await finishWith(browser, change(valid));
      expect([name, status]).toEqual([name, 400]);
    }
  });

  test('with a credential that is not JSON or too long, or with another field, is refused', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    expect((await browser.submit('/login/passkey', { credential: '{' })).status).toBe(400);
    expect((await browser.submit('/login/passkey', { credential: 'a'.repeat(40_000) })).status).toBe(413);
    expect((await browser.submit('/login/passkey', { credential: '{}', personId: ada.id })).status).toBe(400);
  });
});

describe('a counter', () => {
  test.each([
    ['stays', 0],
    ['goes back', -1],
  ])('that %s is refused, and the owner gets an email', async (_, step) => {
    const grace = await signUpWithPasskey(platform);
    expect((await logInWithPasskey(platform, grace.device, { lie: { counter: 7 } })).response.status).toBe(
      303,
    );
    const copy = await logInWithPasskey(platform, grace.device, { lie: { counter: 7 + step } });
    expect([copy.response.status, await isLoggedIn(copy.browser)]).toEqual([400, false]);
    const { text } = await awaitMailAbout(platform.mailDirectory, grace.email, 'A passkey was refused');
    expect(text).toContain('A copy of it may exist');
    expect((await logInWithPasskey(platform, grace.device, { lie: { counter: 8 } })).response.status).toBe(
      303,
    );
  });

  test('of 0 is accepted, as from synced passkeys that do not count', async () => {
    const grace = await signUpWithPasskey(platform, true);
    for (const gateway of [0, 1]) {
      expect((await logInWithPasskey(platform, grace.device, { gateway })).response.status).toBe(303);
    }
    expect(mailsTo(platform.mailDirectory, grace.email).map(({ subject }) => subject)).not.toContain(
      'A passkey was refused',
    );
  });
});

describe('after the password', () => {
  test('the account asks for its passkey, and logs in with it', async () => {
    const browser = await afterPassword(ada, 1);
    expect(await isLoggedIn(browser)).toBe(false);
    const action = '/login/second-factor/passkey';
    const options = await challengeFor(browser, action);
    expect(options.allowCredentials).toMatchObject([{ id: ada.device.credentialId }]);
    expect((await finishWith(browser, ada.device.get(options), action)).status).toBe(303);
    expect(await isLoggedIn(browser)).toBe(true);
  });

  test('a passkey of another person is refused', async () => {
    const grace = await signUpWithPasskey(platform);
    const browser = await afterPassword(ada);
    const action = '/login/second-factor/passkey';
    const signed = grace.device.get(await challengeFor(browser, action));
    expect((await finishWith(browser, signed, action)).status).toBe(400);
    expect(await isLoggedIn(browser)).toBe(false);
  });

  test('a recovery code takes the place of a lost passkey, once', async () => {
    const grace = await signUpWithPasskey(platform);
    const [code = ''] = grace.recoveryCodes;
    const browser = await afterPassword(grace);
    expect((await browser.submit('/login/second-factor', { code })).status).toBe(303);
    const again = await afterPassword(grace);
    expect((await again.submit('/login/second-factor', { code })).status).toBe(400);
    expect((await again.submit('/login/second-factor', { code: '123456' })).status).toBe(400);
  });

  test('a visitor who has not entered the password gets no challenge', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    const csrf = /name="_csrf" value="([^"]*)"/.exec(browser.page.response.text)?.[1] ?? '';
    const path = '/login/second-factor/passkey/options';
    const response = await browser.send('POST', path, { form: { _csrf: csrf } });
    expect([response.status, response.headers.location]).toEqual([303, '/login']);
  });
});

test('a password reset by email removes no passkey, and is not enough for a login', async () => {
  const grace = await signUpWithPasskey(platform);
  const browser = newBrowser();
  await browser.open('/password/forgot');
  await browser.submit('/password/forgot', { email: grace.email });
  const { link } = await awaitMailAbout(platform.mailDirectory, grace.email, 'Set a new password');
  const password = 'a loom that weaves algebra';
  await browser.open(link);
  await browser.submitAndFollow('/password/reset', { new_password: password });
  expect(await isLoggedIn(browser)).toBe(false);
  await afterPassword({ ...grace, password });
  expect((await logInWithPasskey(platform, grace.device)).response.status).toBe(303);
});
