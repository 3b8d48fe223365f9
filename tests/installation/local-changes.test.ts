import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { awaitMail } from '../harness/people.ts';
import { runDirectory } from '../harness/run-directory.ts';

/* npm start after the demo data was changed in the dashboard. */

interface Demo {
  readonly baseUrl: string;
  readonly business: { readonly id: number; readonly uniqueId: string; readonly username: string };
  readonly application: { readonly clientId: string; readonly clientSecret: string };
  readonly login: { readonly email: string; readonly password?: string };
}

let directory = join(runDirectory().newDirectory('local'), '.local');
const readDemo = (): Demo => JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));

let start: NpmStart;
const end = async () => {
  start.ctrlC();
  await start.exited;
};
const begin = async (env = {}) => {
  start = await npmStart(directory, env);
  await start.untilReady();
};
beforeAll(() => begin());
afterAll(end);

/** A browser that is logged in, and the dashboard in it. */
async function logIn({ email, password = '' }: Demo['login']) {
  const { baseUrl, business } = readDemo();
  const browser = createBrowser(Number(new URL(baseUrl).port), { headers: { Connection: 'close' } });
  await browser.open('/login');
  expect((await browser.submit('/login', { email, password })).status).toBe(303);
  return { browser, dashboard: await openDashboard({ businessId: business.id }, browser) };
}

const printedLogin = () => /log in with +(.*)$/m.exec(start.output())?.[1];

test('npm start continues with a demo business that was renamed', async () => {
  const { business, login } = readDemo();
  const { dashboard } = await logIn(login);
  expect(await dashboard.own('PATCH', '', { username: 'renamed-demo' })).toMatchObject({ status: 200 });
  await end();
  await begin();
  expect(readDemo()).toMatchObject({ business: { ...business, username: 'renamed-demo' }, login });
});

test('npm start continues with a demo login whose email address was changed', async () => {
  const { login, business } = readDemo();
  const { browser, dashboard } = await logIn(login);
  const moved = { ...login, email: 'moved@example.com' };
  const asked = await dashboard.call('POST', '/profile/email', moved);
  expect(asked.status).toBe(204);
  await browser.open((await awaitMail(join(directory, 'mail'), moved.email)).link);
  expect(await browser.submit('/account/email/confirm')).toMatchObject({ status: 200 });
  await end();
  await begin();
  expect(readDemo()).toMatchObject({ business, login: moved });
  expect(printedLogin()).toBe(`${moved.email}  ${moved.password}`);
  await logIn(moved);
});

test('npm start does not print a demo password that was changed', async () => {
  const { login } = readDemo();
  const { dashboard } = await logIn(login);
  const next = 'a password of its own';
  const changed = await dashboard.call('POST', '/profile/password', { current: login.password, next });
  expect(changed.status).toBe(204);
  await end();
  await begin();
  expect(readDemo().login).toEqual({ email: login.email });
  expect(printedLogin()).toBe(`${login.email}  (with the password that was set since)`);
  await logIn({ ...login, password: next });
});

const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/** Status of an exchange from this machine: 401 where the client's address is not on its whitelist, 400 for the code. */
async function exchange(): Promise<number> {
  const { baseUrl, application } = readDemo();
  const { clientId: client_id, clientSecret: client_secret } = application;
  const body = {
    grant_type: 'authorization_code',
    code: 'ac_1',
    code_verifier: 'v',
    client_id,
    client_secret,
  };
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  const response = await fetch(`${baseUrl}/v2/oauth/token`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

test('npm start at another address registers it for the demo application', async () => {
  if (ownAddress === undefined)
    process.stderr.write(
      'This machine has no IPv4 address but the loopback: npm start is tested at that alone.\n',
    );
  const env = { HTTP_HOST: ownAddress ?? '127.0.0.1' };
  expect(await exchange()).toBe(400);
  await end();
  await begin(env);
  expect(new URL(readDemo().baseUrl).hostname).toBe(env.HTTP_HOST);
  expect(await exchange()).toBe(400);
  await end();
  directory = join(runDirectory().newDirectory('local'), '.local');
  await begin(env);
  expect(await exchange()).toBe(400);
});
