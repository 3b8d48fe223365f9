import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { type Browser, createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { askForEmail, type EmailOwner, openEmailOwner } from '../harness/email-change.ts';
import { metricOf } from '../harness/metrics.ts';
import {
  challengeFor,
  finishWith,
  newDevice,
  type PasskeyPerson,
  signUpWithPasskey,
} from '../harness/passkeys.ts';
import { awaitMailAbout, newAddress, signUp } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { throttleWindows } from '../harness/throttle-windows.ts';

/** Limits on logins with passkeys, and on what a person does in the account, over two gateways and two identity-services. */

const platform = running(() =>
  startPlatform({
    gateways: 2,
    identities: 2,
    gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' },
    identityEnv: { THROTTLE_SCALE: '1' },
  }),
);
let ada: PasskeyPerson;
beforeAll(async () => {
  ada = await signUpWithPasskey(platform, true);
});

const windows = throttleWindows(() => platform);

/** A browser on the login page, at an address of its own. */
async function visitorAt(address: string, gateway = 0): Promise<Browser> {
  const headers = { 'X-Forwarded-For': address };
  const browser = createBrowser(platform.gatewayPorts[gateway] ?? 0, { headers });
  await browser.open('/login');
  return browser;
}

/** The response to the request for a challenge, as a visitor gets it that must wait. */
async function askForChallenge(browser: Browser) {
  const [, csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(browser.page.response.text) ?? [];
  return browser.send('POST', '/login/passkey/options', { form: { _csrf: csrf } });
}

async function tryPasskey(address: string, gateway: number, device = newDevice(platform)): Promise<number> {
  const visitor = await visitorAt(address, gateway);
  return (await finishWith(visitor, device.get(await challengeFor(visitor)))).status;
}

/** Logins that were refused for their number, over all replicas. */
async function throttled(): Promise<number> {
  const counts = platform.identities.map((identity) =>
    metricOf(identity, 'identity_logins_total', { outcome: 'throttled' }),
  );
  return (await Promise.all(counts)).reduce((sum: number, count) => sum + (count ?? 0), 0);
}

test(
  'wrong passkeys from one address or IPv6 network lead to 429 on all replicas, while others can log in',
  windows.inOne(async () => {
    await windows.pass();
    const before = await throttled();
    const prepared = await visitorAt('2001:db8::1', 1);
    const signed = ada.device.get(await challengeFor(prepared));
    expect(await tryPasskey('2001:db8::2', 0)).toBe(400);
    // As if the network had asked for 298 challenges more, and sent a wrong passkey for each but one.
    const fill = "UPDATE throttle_counts SET count = 597 WHERE key LIKE 'passkey:address:%' AND count = 3";
    expect(await platform.sql(`${fill} RETURNING 1`)).toHaveLength(1);
    expect(await tryPasskey('2001:db8::ffff:1', 1)).toBe(400);
    const last = await visitorAt('2001:db8::3');
    expect((await finishWith(last, { id: 'AA' })).status).toBe(400);
    // Neither a challenge nor a login, also with the right passkey.
    for (const gateway of [0, 1]) {
      const refused = await askForChallenge(await visitorAt('2001:db8::4', gateway));
      expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    const refused = await finishWith(prepared, signed);
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringMatching(/Too many attempts.*Your password works meanwhile/s),
    ]);
    expect(await throttled()).toBe(before + 1);

    expect(await tryPasskey('2001:db8:0:1::1', 1, ada.device)).toBe(303);
    const byPassword = await visitorAt('2001:db8::5');
    const { email, password } = ada;
    expect((await byPassword.submit('/login', { email, password })).headers.location).toMatch(
      /^\/login\/second-factor/,
    );
  }),
);

test(
  'wrong passkeys and codes after the password share one limit, and reaching it sends the owner an email',
  windows.inOne(async () => {
    await windows.pass();
    const grace = await signUpWithPasskey(platform, true);
    const action = '/login/second-factor/passkey';
    const browser = await visitorAt('192.0.2.9', 1);
    await browser.submitAndFollow('/login', { email: grace.email, password: grace.password });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      await browser.open('/login/second-factor');
      const lie = { withOtherKey: true };
      const signed = grace.device.get(await challengeFor(browser, action), lie);
      statuses.push((await finishWith(browser, signed, action)).status);
    }
    for (let n = 0; n < 4; n++) {
      statuses.push((await browser.submit('/login/second-factor', { code: '123456' })).status);
    }
    expect(statuses).toEqual(Array(10).fill(400));
    await browser.open('/login/second-factor');
    const signed = grace.device.get(await challengeFor(browser, action));
    expect((await finishWith(browser, signed, action)).status).toBe(429);
    await awaitMailAbout(platform.mailDirectory, grace.email, 'Many wrong codes for your account');
    // With the passkey alone she is not kept out.
    expect(await tryPasskey('192.0.2.10', 0, grace.device)).toBe(303);
  }),
);

test(
  'invitations of one person are throttled per mailbox and in total',
  windows.inOne(async () => {
    await windows.pass();
    const person = await signUp(platform);
    const { own } = await openDashboard(person, person.browser);
    const post = async (email: string) =>
      (await own('POST', '/team/invitations', { email, role: 'developer' })).status;
    const victim = newAddress('victim');
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push(await post(victim));
    expect(statuses).toEqual([201, 201, 201, 429]);
    const others = [];
    for (let n = 0; n < 28; n++) others.push(await post(newAddress('other')));
    expect(others).toEqual([...Array(27).fill(201), 429]);
  }),
);

test(
  'guesses of the password in the dashboard are counted together with those on the pages',
  windows.inOne(async () => {
    await windows.pass();
    const grace = await signUp(platform);
    const { call } = await openDashboard(grace, grace.browser);
    const password = 'not my password at all';
    await grace.browser.open('/account/second-factor');
    const first = await grace.browser.submit('/account/second-factor/begin', { password });
    expect(first.status).toBe(400);
    const statuses = [];
    const guess = { current: password, next: 'a loom that weaves algebra' };
    for (let n = 0; n < 9; n++) statuses.push((await call('POST', '/profile/password', guess)).status);
    expect(statuses).toEqual(Array(9).fill(400));
    const refused = await call('POST', '/profile/second-factor', { password: grace.password });
    expect([refused.status, refused.json()]).toMatchObject([
      429,
      { error: expect.stringMatching(/^There were too many attempts\. Please wait \d+ (seconds|minutes)/) },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await grace.browser.submit('/account/second-factor/begin', { password })).status).toBe(429);
  }),
);

test(
  'changes of the email address are throttled, per person and per address',
  windows.inOne(async () => {
    await windows.pass();
    const statuses = async (owner: EmailOwner, addresses: string[]) => {
      const found = [];
      for (const each of addresses) found.push((await askForEmail(owner, each)).status);
      return found;
    };
    const [one, other] = [await openEmailOwner(platform), await openEmailOwner(platform)];
    const address = newAddress('flooded');
    expect(await statuses(one, [address, address, address, address])).toEqual([204, 204, 204, 429]);
    expect(await statuses(other, [address, newAddress('free')])).toEqual([429, 204]);
    expect(await statuses(one, [newAddress('free'), newAddress('free')])).toEqual([204, 429]);
  }),
);

test(
  'a person can create five businesses a day, and failed attempts do not count',
  windows.inOne(async () => {
    await windows.pass();
    const { call } = await openDashboard(ada, ada.browser);
    const statusesOf = async (usernames: readonly string[]) => {
      const statuses = [];
      for (const username of usernames) {
        statuses.push((await call('POST', '/businesses', { accountHolder: 'Engines', username })).status);
      }
      return statuses;
    };
    const fresh = Array.from({ length: 6 }, () => `engines-${randomBytes(6).toString('hex')}`);
    const [first = ''] = fresh;
    expect(await statusesOf([first])).toEqual([201]);
    expect(await statusesOf(Array(4).fill([first, '-']).flat())).toEqual(Array(8).fill(400));
    expect(await statusesOf(fresh.slice(1))).toEqual([...Array(4).fill(201), 429]);
  }),
);

test(
  'failed attempts to create a business lead to 429 as well',
  windows.inOne(async () => {
    await windows.pass();
    const { call } = await openDashboard(ada, ada.browser);
    const body = { accountHolder: 'Engines', username: '-' };
    const statuses = [];
    for (let n = 0; n < 62; n++) statuses.push((await call('POST', '/businesses', body)).status);
    expect(statuses).toEqual([...Array(60).fill(400), 429, 429]);
  }),
);
