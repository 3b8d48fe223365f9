import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clusterUser } from '../../deploy/local/postgres.ts';
import { type Browser, createBrowser } from '../harness/browser.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type HttpResponse, request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { mailsTo } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';

interface Demo {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly business: { readonly id: number; readonly username: string };
  readonly login: { readonly email: string; readonly password: string };
  readonly application: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly redirectUri: string;
    readonly scopes: readonly string[];
  };
}

const directory = join(runDirectory().newDirectory('local'), '.local');
const demoFile = join(directory, 'demo.json');
const readDemo = (): Demo => JSON.parse(readFileSync(demoFile, 'utf8'));
const portOf = (url: string) => Number(new URL(url).port);
/** A connection that is kept open would hold up the end of the gateway. */
const closing = { headers: { Connection: 'close' } };

let start: NpmStart;
const restart = async () => {
  start.ctrlC();
  await start.exited;
  start = await npmStart(directory);
  await start.untilReady();
};

beforeAll(async () => {
  start = await npmStart(directory);
  await start.untilReady();
});
afterAll(async () => {
  start.ctrlC();
  await start.exited;
});

/** A person's browser at the demo application, and the same browser at the platform. */
function openBrowsers() {
  const { baseUrl, application } = readDemo();
  return {
    application: createBrowser(portOf(application.redirectUri), closing),
    platform: createBrowser(portOf(baseUrl), closing),
  };
}

const target = (location: string | undefined) => {
  const { pathname, search } = new URL(location ?? '');
  return pathname + search;
};

/** From the application's button to the consent page. */
async function askForConsent({ application, platform }: ReturnType<typeof openBrowsers>): Promise<string> {
  await application.open('/');
  const asked = await application.submit('/start');
  await platform.open(target(asked.headers.location));
  const { text } = await platform.submitAndFollow('/login', readDemo().login);
  return text;
}

/** Submits the consent page, and follows to the page of the application. */
async function decide(
  { application, platform }: ReturnType<typeof openBrowsers>,
  decision: 'approve' | 'deny',
): Promise<string> {
  return arrive(application, await platform.submit('/oauth/consent', { decision }));
}

/** Follows the platform's last response to the page of the application. */
async function arrive(application: Browser, { headers }: HttpResponse): Promise<string> {
  const { text } = await application.open(target(headers.location));
  return plain(text);
}

/** Text of the application's page. */
const plain = (page: string) =>
  page.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replace(/<[^>]+>/g, '');

const press = async (application: Browser, action: string) =>
  plain((await application.submitAndFollow(action)).text);

describe('the demo flow of npm start', () => {
  test('is announced with its address, the demo login, and the directory of emails', () => {
    const { application, login } = readDemo();
    expect(start.output()).toContain(`try the flow  ${new URL(application.redirectUri).origin}`);
    expect(start.output()).toContain(`${login.email}  ${login.password}`);
    expect(start.output()).toContain(`${join(directory, 'mail')}  (nothing is sent`);
  });

  test('writes the login and the application to demo.json, which only its owner can read', () => {
    const { login, application } = readDemo();
    expect((statSync(demoFile).mode & 0o777).toString(8)).toBe('600');
    expect(login).toEqual({ email: 'demo@example.com', password: expect.stringMatching(/^[0-9a-f-]{23}$/) });
    expect(application).toEqual({
      clientId: expect.stringMatching(/^app_/),
      clientSecret: expect.stringMatching(/^cs_[0-9A-Za-z]{45}$/),
      redirectUri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scopes: ['business:read', 'orders:read', 'orders:write'],
    });
  });

  test('stores the email of the sign-up in the directory that the banner names', () => {
    const [mail] = mailsTo(join(directory, 'mail'), 'demo@example.com');
    expect(mail).toMatchObject({ link: expect.stringMatching(/^\/signup\/confirm\?token=su_/) });
  });

  test('leads to the business that approved, and shows every step without a whole secret', async () => {
    const browsers = openBrowsers();
    const consent = await askForConsent(browsers);
    expect(consent).toContain('Demo Bookkeeping');
    expect(consent).toContain('Demo Software (@demo-software)');
    expect(consent).toContain('Demo Trading');
    const story = await decide(browsers, 'approve');
    const { application, business } = readDemo();
    const steps = ['Authorization request', 'Callback', 'Token exchange', 'API request'];
    expect(steps.map((step) => story.indexOf(step))).not.toContain(-1);
    expect(story).toContain('"token_type": "Bearer"');
    expect(story).toContain(`"id": ${business.id},`);
    expect(story).toContain('"account_holder": "Demo Trading"');
    expect(story).not.toMatch(/\b(at|rt|ac|cs)_[0-9A-Za-z]{45}/);
    expect(story).not.toContain(application.clientSecret);

    const refreshed = await press(browsers.application, '/refresh');
    expect(refreshed).toMatch(/idempotency-key: .*grant_type=refresh_token.*HTTP\/1\.1 200 OK/s);
    const called = await press(browsers.application, '/call');
    expect(called.match(/"account_holder": "Demo Trading"/g)).toHaveLength(2);

    const revoked = await press(browsers.application, '/revoke');
    expect(revoked).toMatch(/Revocation.*HTTP\/1\.1 200 OK.*HTTP\/1\.1 401 Unauthorized/s);
    expect(revoked).toContain('"error": "Invalid access token"');
    expect(browsers.application.page.response.text).not.toContain('action="/refresh"');
  });

  test('creates an order and shows the webhook about it on the same page', async () => {
    const browsers = openBrowsers();
    await askForConsent(browsers);
    await decide(browsers, 'approve');
    const story = await press(browsers.application, '/order');
    expect(story).toMatch(/POST \/v2\/order.*"currency": "EUR".*HTTP\/1\.1 201 Created/s);
    const [, id] = /"id": "(ord_\w+)"/.exec(story) ?? [];
    expect(story).toMatch(
      new RegExp(`Webhook, with a valid signature.*"type": "order.created".*"id": "${id}"`, 's'),
    );
    const forged = { headers: { Connection: 'close', 'webhook-id': 'evt_1' }, body: { id: 'evt_1' } };
    const { redirectUri } = readDemo().application;
    expect(await request(portOf(redirectUri), 'POST', '/webhooks', forged)).toMatchObject({ status: 400 });
    await press(browsers.application, '/revoke');
  });

  test('prints the link of the mail to a person who signs up', async () => {
    const { platform } = openBrowsers();
    await platform.open('/signup');
    await platform.submit('/signup', { email: 'new@example.com' });
    await expectEventually(
      () =>
        expect(start.output()).toMatch(
          /Mail to new@example\.com: Confirm your email address\n {2}http:\S+\/signup\/confirm\?token=su_/,
        ),
      { withinMs: 10_000 },
    );
  });

  test('shows a denial as an error, without a token exchange', async () => {
    const browsers = openBrowsers();
    await askForConsent(browsers);
    const story = await decide(browsers, 'deny');
    expect(story).toContain('access_denied: ');
    expect(story).not.toContain('Token exchange');
  });

  test('refuses a code with a state that it has not sent', async () => {
    const { application } = openBrowsers();
    await application.open('/');
    await application.submit('/start');
    const { baseUrl } = readDemo();
    const query = new URLSearchParams({ code: 'ac_1', state: '<b>forged</b>', iss: baseUrl });
    const { text } = await application.open(`/callback?${query}`);
    expect(plain(text)).toContain('state is not the one that was sent');
    expect(text).not.toContain('Token exchange');
    expect(text).not.toContain('<b>');
  });

  test('refuses a callback in a browser that has not started the flow', async () => {
    const { baseUrl } = readDemo();
    const query = new URLSearchParams({ code: 'ac_1', state: 's', iss: baseUrl });
    const response = await openBrowsers().application.open(`/callback?${query}`);
    expect(response.status).toBe(400);
    expect(response.text).not.toContain('Token exchange');
  });

  test('cannot be started from another site or under another host name', async () => {
    const port = portOf(readDemo().application.redirectUri);
    const post = (headers: Record<string, string>) =>
      request(port, 'POST', '/start', { headers: { Connection: 'close', ...headers } });
    expect(await post({ Origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    const renamed = await post({ Host: 'evil.example' });
    expect(renamed.headers).toMatchObject({ location: `http://127.0.0.1:${port}/` });
  });
});

describe('the next start of npm start', () => {
  test('keeps the login and the application', async () => {
    const before = readDemo();
    await restart();
    const { login, application } = readDemo();
    expect(login).toEqual(before.login);
    const { redirectUri } = application;
    expect(application).toEqual({ ...before.application, redirectUri });
    const browsers = openBrowsers();
    await askForConsent(browsers);
    expect(await decide(browsers, 'approve')).toContain('"account_holder": "Demo Trading"');
  });

  test('replaces the password and the client secret when demo.json is gone', async () => {
    const before = readDemo();
    rmSync(demoFile);
    await restart();
    const { login, application } = readDemo();
    expect(login.password).not.toBe(before.login.password);
    expect(application.clientId).toBe(before.application.clientId);
    expect(application.clientSecret).not.toBe(before.application.clientSecret);
    const browsers = openBrowsers();
    // What was approved before that start is not asked again.
    await askForConsent(browsers);
    const story = await arrive(browsers.application, browsers.platform.page.response);
    expect(story).toContain('"account_holder": "Demo Trading"');
  });

  test('continues with data of a version without people and applications', async () => {
    const before = readDemo();
    await forgetPeople();
    const secretsFile = join(directory, 'secrets.json');
    const { gatewaySecret, sessionSecret, encryptionKey, ...old } = JSON.parse(
      readFileSync(secretsFile, 'utf8'),
    );
    start.ctrlC();
    await start.exited;
    writeFileSync(secretsFile, JSON.stringify(old));
    const { login, application, ...oldDemo } = before;
    writeFileSync(demoFile, JSON.stringify(oldDemo));
    start = await npmStart(directory);
    await start.untilReady();

    expect(JSON.parse(readFileSync(secretsFile, 'utf8'))).toEqual({
      ...old,
      gatewaySecret: expect.not.stringMatching(gatewaySecret),
      sessionSecret: expect.not.stringMatching(sessionSecret),
      encryptionKey: expect.any(String),
    });
    expect(readDemo().business).toEqual(before.business);
    const browsers = openBrowsers();
    expect(await askForConsent(browsers)).toContain('Demo Trading');
    expect(await decide(browsers, 'approve')).toContain(`"id": ${before.business.id},`);
  });
});

/** Takes everything out of the running database that earlier versions did not have. */
async function forgetPeople(): Promise<void> {
  const { databasePassword } = JSON.parse(readFileSync(join(directory, 'secrets.json'), 'utf8'));
  const port = readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8').split('\n')[3];
  const url = `postgresql://${clusterUser}:${databasePassword}@127.0.0.1:${port}/identity`;
  await query(url, 'DELETE FROM people');
  await query(url, 'DELETE FROM applications');
}
