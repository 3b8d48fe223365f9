import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';

let platform: Platform;
let ada: TestPerson;
beforeAll(async () => {
  platform = await startPlatform({
    gateways: 2,
    identities: 2,
    gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' },
    identityEnv: { THROTTLE_SCALE: '1' },
  });
  ada = await signUp(platform);
});
afterAll(() => platform.close());

/** A browser at an address of its own. */
function browserAt(address: string, gateway = 0) {
  return createBrowser(platform.gatewayPorts[gateway] ?? 0, { headers: { 'X-Forwarded-For': address } });
}

let hours = 1;

/** Moves the windows of all counts into the past. Each time they move further than all times before, so that no two of them meet. */
async function windowsPass() {
  hours *= 2;
  const move = 'UPDATE throttle_counts SET window_start = window_start - make_interval(hours => $1)';
  await query(platform.databases.identity, move, [hours]);
}

async function tryLogIn(address: string, email: string, password = 'not my password at all', gateway = 0) {
  const browser = browserAt(address, gateway);
  await browser.open('/login');
  return browser.submit('/login', { email, password });
}

test('guesses at one account from one address end with 429, over all replicas together', async () => {
  const statuses = [];
  for (let n = 0; n < 12; n++) {
    statuses.push((await tryLogIn('192.0.2.1', ada.email, undefined, n % 2)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
  const refused = await tryLogIn('192.0.2.1', ada.email, ada.password);
  expect([refused.status, refused.text]).toEqual([
    429,
    expect.stringMatching(/Too many attempts.*wait \d+/s),
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
});

test('meanwhile the owner can log in from another address, and others from that address', async () => {
  await windowsPass();
  for (let n = 0; n < 40; n++) await tryLogIn('192.0.2.2', ada.email);
  expect((await tryLogIn('192.0.2.3', ada.email, ada.password)).headers.location).toBe('/dashboard');
  const grace = await signUp(platform);
  expect((await tryLogIn('192.0.2.2', grace.email, grace.password)).headers.location).toBe('/dashboard');
});

test('guesses at one account from many addresses wait a minute at most, and end in it', async () => {
  await windowsPass();
  const statuses = new Set<number>();
  for (let n = 0; n < 25; n++) statuses.add((await tryLogIn(`198.51.100.${n}`, ada.email)).status);
  const refused = await tryLogIn('203.0.113.1', ada.email, ada.password);
  // A new minute may have begun meanwhile; the attempts of both are then below the limit.
  if (refused.status === 429) expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  else expect(statuses).toEqual(new Set([400]));
  await windowsPass();
  expect((await tryLogIn('203.0.113.1', ada.email, ada.password)).headers.location).toBe('/dashboard');
});

test('an account that does not exist is throttled in the same way', async () => {
  await windowsPass();
  const statuses = [];
  for (let n = 0; n < 11; n++) statuses.push((await tryLogIn('192.0.2.4', 'unknown@people.test')).status);
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
});

test('guesses at many accounts from one address, or one IPv6 network, end with 429', async () => {
  await windowsPass();
  expect((await tryLogIn('2001:db8::1', 'unknown-1@people.test')).status).toBe(400);
  // As if it had tried 98 more accounts.
  const fill = "UPDATE throttle_counts SET count = 99 WHERE key LIKE 'login:address:%' AND count = 1";
  await query(platform.databases.identity, fill);
  expect((await tryLogIn('2001:db8::2', 'unknown-2@people.test')).status).toBe(400);
  expect((await tryLogIn('2001:db8::ffff:1', 'unknown-3@people.test')).status).toBe(429);
  expect((await tryLogIn('2001:db8:0:1::1', 'unknown-3@people.test')).status).toBe(400);
});

test('a mailbox cannot be filled by another person', async () => {
  for (const path of ['/signup', '/password/forgot']) {
    const statuses = [];
    for (let n = 0; n < 4; n++) {
      const browser = browserAt(`198.51.100.${n}`);
      await browser.open(path);
      statuses.push((await browser.submit(path, { email: 'victim@people.test' })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  }
});

test('the password of a session that was left open is not guessed', async () => {
  await windowsPass();
  const { browser } = ada;
  await browser.open('/account/password');
  const fields = { password: 'not my password at all', new_password: 'a loom that weaves algebra' };
  const statuses = [];
  for (let n = 0; n < 11; n++) statuses.push((await browser.submit('/account/password', fields)).status);
  expect(statuses).toEqual([...Array(10).fill(400), 429]);
  await browser.open('/account/second-factor');
  const off = await browser.submit('/account/second-factor/begin', { password: ada.password });
  expect(off.status).toBe(429);
});

test('fifty attempts at once count as fifty', async () => {
  await windowsPass();
  const browser = browserAt('192.0.2.9');
  await browser.open('/login');
  const attempt = { email: 'unknown@people.test', password: 'x' };
  const responses = await Promise.all(Array.from({ length: 50 }, () => browser.submit('/login', attempt)));
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(10);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(40);
});

test('the table of attempts names no address and no account', async () => {
  const rows = await query<{ key: string }>(platform.databases.identity, 'SELECT key FROM throttle_counts');
  expect(rows.length).toBeGreaterThan(0);
  for (const { key } of rows) expect(key).toMatch(/^[a-z-]+:[a-z+]+:[\w-]{43}$/);
});
