import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from '../harness/browser.ts';
import { type ClientPlatform, startClientPlatform } from '../harness/client-platform.ts';
import { type ConnectServer, startConnectServer } from '../harness/connect-programs.ts';
import { connectedFacts } from '../harness/connected-facts.ts';
import { type SecurePlatform, startSecurePlatform } from '../harness/secure-platform.ts';
import { installModules } from './install-modules.ts';

/* Programs of the guide "Connect with a library" for frameworks that the repository does not depend on. */

const packages = ['express@5.3.0', 'express-session@1.19.0', 'grant@5.4.24'].concat(
  ['@auth/core@0.41.3', '@auth/express@0.12.3'],
  'better-auth@1.7.25',
);

/** How a person begins with a framework: resolves to the address that the browser is sent to. */
type Begin = (browser: Browser, origin: string) => Promise<string>;

const beginGrant: Begin = async (browser) =>
  (await browser.send('GET', '/connect/platform')).headers.location ?? '';

/** As the form of its page does. */
const beginAuthJs: Begin = async (browser) => {
  const { csrfToken } = (await browser.send('GET', '/auth/csrf')).json() as { csrfToken: string };
  const form = { csrfToken, callbackUrl: '/business' };
  return (await browser.send('POST', '/auth/signin/platform', { form })).headers.location ?? '';
};

/** As its client for browsers does. */
const beginBetterAuth: Begin = async (browser, origin) => {
  const response = await browser.send('POST', '/api/auth/sign-in/social', {
    headers: { Origin: origin },
    body: { provider: 'platform', callbackURL: '/business' },
  });
  return (response.json() as { url: string }).url;
};

const frameworks = [
  { section: 'grant', path: '/connect/platform/callback', begin: beginGrant, pairs: 2, keys: 1 },
  { section: 'Auth.js', path: '/auth/callback/platform', begin: beginAuthJs, pairs: 2, keys: 1 },
  // Refreshes once more to learn what it revokes.
  { section: 'better-auth', path: '/api/auth/callback/platform', begin: beginBetterAuth, pairs: 3, keys: 0 },
];

let platform: SecurePlatform;
let world: ClientPlatform;
let modules: string;
beforeAll(async () => {
  modules = installModules(packages);
  platform = await startSecurePlatform();
  const redirectUris = frameworks.map(({ path }) => `http://127.0.0.1:9${path}`);
  world = await startClientPlatform({ platform, redirectUris });
});
afterAll(() => platform?.close());

describe.each(frameworks)('the program for $section', ({ section, path, begin, pairs, keys }) => {
  let server: ConnectServer;
  beforeAll(async () => {
    server = await startConnectServer(section, { platform, application: world.application, modules }, path);
  });
  afterAll(() => server?.stop());

  /** Has the person decide; resolves to the address that the browser is sent back to. */
  const decide = async (browser: Browser, decision?: 'approve' | 'deny') =>
    world.visit(await begin(browser, new URL(server.redirectUri).origin), decision);

  /** Opens an address of the program, and follows redirects of any status. */
  async function follow(browser: Browser, url: URL) {
    let next: URL | undefined = url;
    while (next !== undefined) {
      const { headers } = await browser.send('GET', next.pathname + next.search);
      next = headers.location === undefined ? undefined : new URL(headers.location, server.redirectUri);
    }
    return browser;
  }

  const business = (browser: Browser) => browser.send('GET', '/business');

  test('connects, calls the API, refreshes and revokes', async () => {
    const browser = server.newBrowser();
    await follow(browser, await decide(browser));
    expect((await business(browser)).json()).toMatchObject({ id: world.businessId });
    expect((await browser.send('POST', '/refresh')).status).toBe(204);
    expect((await business(browser)).json()).toMatchObject({ id: world.businessId });
    const facts = () => connectedFacts(platform, world.application.id);
    expect(await facts()).toEqual({ ended: null, pairs: 2, keys });
    expect((await browser.send('POST', '/disconnect')).status).toBe(204);
    expect((await business(browser)).status).toBe(401);
    expect(await facts()).toEqual({ ended: 'revoked', pairs, keys });
  });

  test('connects no business after a denial', async () => {
    const browser = server.newBrowser();
    await follow(browser, await decide(browser, 'deny'));
    expect((await business(browser)).status).toBe(401);
  });

  /** Sends a callback to a browser, which must not exchange its code. */
  async function expectRefused(browser: Browser, callback: URL) {
    expect((await business(await follow(browser, callback))).status).toBe(401);
    expect(await connectedFacts(platform, world.application.id)).toMatchObject({ ended: null, pairs: 0 });
  }

  test.each(['state', 'iss'])('connects no business by a callback with another %s', async (name) => {
    const browser = server.newBrowser();
    const callback = await decide(browser);
    callback.searchParams.set(name, 'https://elsewhere.example');
    await expectRefused(browser, callback);
  });

  test('connects no business in a browser that did not begin', async () => {
    await expectRefused(server.newBrowser(), await decide(server.newBrowser()));
  });
});
