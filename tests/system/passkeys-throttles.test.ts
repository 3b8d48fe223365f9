import { beforeAll, expect, test } from '@jest/globals';
import { type Browser, createBrowser } from '../harness/browser.ts';
import { metricOf } from '../harness/metrics.ts';
import {
  challengeFor,
  finishWith,
  newDevice,
  type PasskeyPerson,
  signUpWithPasskey,
} from '../harness/passkeys.ts';
import { awaitMailAbout } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { throttleWindows } from '../harness/throttle-windows.ts';

/** Limits on logins with passkeys, over two gateways and two identity-services. */

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
