import { expect, test } from '@jest/globals';
import { cookieName } from './cookie-name.ts';
import { createKnownDevices } from './known-device.ts';

const ada = { personId: 'per_ada', passwordSetAt: 1_000 };
const publicUrl = 'http://localhost:8080';
const current = createKnownDevices(['s'.repeat(32)], publicUrl);

/** The Cookie header after an account was remembered. */
const remember = (devices: typeof current, account: typeof ada, header?: string) =>
  `${devices.cookie}=${devices.remember(header, account)}`;

const knows = (devices: typeof current, account: typeof ada, header: string) =>
  devices.recognize(header, account) !== undefined;

test('a browser is known for the accounts that logged in, under their current password', () => {
  const cookie = remember(current, ada);
  expect(cookie).toMatch(/^device-8080=[\w-]{22}\.[\w-]{22}$/);
  expect(knows(current, ada, `other=1; ${cookie}; x=y`)).toBe(true);
  expect(knows(current, { ...ada, passwordSetAt: 2_000 }, cookie)).toBe(false);
  expect(knows(current, { ...ada, personId: 'per_grace' }, cookie)).toBe(false);
});

test('the cookie of a browser keeps its id and the last five accounts', () => {
  const accounts = Array.from({ length: 6 }, (_, n) => ({ personId: `per_${n}`, passwordSetAt: n }));
  const cookie = accounts.reduce<string | undefined>((had, each) => remember(current, each, had), undefined);
  expect(accounts.map((each) => knows(current, each, cookie ?? ''))).toEqual([
    false,
    true,
    true,
    true,
    true,
    true,
  ]);
  const ids = accounts.slice(1).map((each) => current.recognize(cookie, each));
  expect(new Set(ids).size).toBe(1);
});

test('a cookie signed with a retired secret is accepted, and one with an unknown secret is not', () => {
  const cookie = remember(current, ada);
  const rotated = createKnownDevices(['n'.repeat(32), 's'.repeat(32)], publicUrl);
  const foreign = createKnownDevices(['n'.repeat(32)], publicUrl);
  expect([knows(rotated, ada, cookie), knows(foreign, ada, cookie)]).toEqual([true, false]);
});

test.each([
  '',
  'device-8080=',
  'device-8080=....',
  `device-8080=${'a'.repeat(5_000)}`,
  `device-8080=${'ä'.repeat(22)}.x`,
])('an invalid cookie makes no browser known, and is replaced: %j', (cookie) => {
  expect(knows(current, ada, cookie)).toBe(false);
  expect(knows(current, ada, remember(current, ada, cookie))).toBe(true);
});

test.each([
  ['http://localhost', 'session'],
  ['http://localhost:8080', 'session-8080'],
  ['http://localhost:8081', 'session-8081'],
  ['https://platform.example', '__Host-session'],
  ['https://platform.example:8443', '__Host-session-8443'],
])('platforms on the same host have separate cookies, bound to the host under https: %s', (url, name) => {
  expect(cookieName('session', url)).toBe(name);
});
