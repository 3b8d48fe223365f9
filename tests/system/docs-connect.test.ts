import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ClientPlatform, startClientPlatform } from '../harness/client-platform.ts';
import { type ConnectServer, runInTerminal, startConnectServer } from '../harness/connect-programs.ts';
import { connectedFacts } from '../harness/connected-facts.ts';
import { type SecurePlatform, startSecurePlatform } from '../harness/secure-platform.ts';

/* Programs of the guide "Connect with a library" for libraries that the repository has; the others are in tests/clients. */

let platform: SecurePlatform;
let world: ClientPlatform;
beforeAll(async () => {
  platform = await startSecurePlatform();
  world = await startClientPlatform({ platform });
});
afterAll(() => platform?.close());

test('the page names the endpoints of the metadata', async () => {
  const [page, metadata] = await Promise.all([
    platform.request(0, 'GET', '/docs/connect.md'),
    platform.request(0, 'GET', '/.well-known/oauth-authorization-server'),
  ]);
  const urls = [...page.text.matchAll(/^\| (?:issuer|\w+ endpoint) \| `(.*?)`/gm)].map(([, url]) => url);
  const { issuer, ...server } = metadata.json() as Record<string, unknown>;
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = server;
  expect(urls).toEqual([issuer, authorization_endpoint, token_endpoint, revocation_endpoint]);
});

test('every section about a library has a program that a test runs', async () => {
  const { text } = await platform.request(0, 'GET', '/docs/connect.md');
  const sections = [...text.matchAll(/^## (.+?)(?: \{#\w+\})?$/gm)].map(([, title]) => title);
  expect(sections).toEqual([
    'Settings for any library',
    ...['openid-client', 'oauth4webapi', 'simple-oauth2', 'arctic', 'Passport'],
    // In tests/clients.
    ...['grant', 'Auth.js', 'better-auth', 'Authlib', 'requests-oauthlib'],
  ]);
});

const facts = () => connectedFacts(platform, world.application.id);

describe.each([
  ['openid-client', 0],
  ['oauth4webapi', 1],
  ['simple-oauth2', 1],
  ['arctic', 0],
])('the program for %s', (section, keys) => {
  const run = (visit: (url: string) => Promise<URL>) =>
    runInTerminal(section, { platform, application: world.application }, visit);

  test('connects, calls the API, refreshes and revokes', async () => {
    const business = `Business ${world.businessId}`;
    expect(await run(world.visit)).toEqual({ lines: [business, business, 'Revoked'] });
    expect(await facts()).toEqual({ ended: 'revoked', pairs: 2, keys });
  });

  test('stops at a denial', async () => {
    const { lines, error } = await run((url) => world.visit(url, 'deny'));
    expect([lines, error]).toEqual([[''], expect.stringContaining('access_denied')]);
  });

  test.each(['state', 'iss'])('stops at a callback with another %s', async (name) => {
    const { lines, error } = await run(async (url) => {
      const callback = await world.visit(url);
      callback.searchParams.set(name, 'https://elsewhere.example');
      return callback;
    });
    expect([lines, error]).toEqual([[''], expect.stringMatching(/state|iss|not the callback/)]);
  });
});

describe('the program for Passport', () => {
  let server: ConnectServer;
  beforeAll(async () => {
    server = await startConnectServer('Passport', { platform, application: world.application });
  });
  afterAll(() => server?.stop());

  /** Sends the person through; resolves to the browser, and the status of the callback. */
  async function connect(decision?: 'approve' | 'deny', change?: (callback: URL) => void) {
    const browser = server.newBrowser();
    const { headers } = await browser.send('GET', '/connect');
    const callback = await world.visit(headers.location ?? '', decision);
    change?.(callback);
    const { status } = await browser.send('GET', callback.pathname + callback.search);
    return { browser, status };
  }

  test('connects, calls the API, refreshes and revokes', async () => {
    const { browser, status } = await connect();
    expect(status).toBe(302);
    const business = async () => (await browser.send('GET', '/business')).json();
    expect(await business()).toMatchObject({ id: world.businessId });
    expect((await browser.send('POST', '/refresh')).status).toBe(204);
    expect(await business()).toMatchObject({ id: world.businessId });
    expect(await facts()).toEqual({ ended: null, pairs: 2, keys: 1 });
    expect((await browser.send('POST', '/disconnect')).status).toBe(204);
    expect((await browser.send('GET', '/business')).status).toBe(401);
    expect(await facts()).toEqual({ ended: 'revoked', pairs: 2, keys: 1 });
  });

  test('connects no business in a browser that did not begin', async () => {
    const { headers } = await server.newBrowser().send('GET', '/connect');
    const callback = await world.visit(headers.location ?? '');
    const victim = server.newBrowser();
    expect((await victim.send('GET', callback.pathname + callback.search)).status).toBe(403);
    expect(await facts()).toMatchObject({ ended: null, pairs: 0 });
  });

  test('refuses a denial, and a callback with another state or issuer', async () => {
    expect((await connect('deny')).status).toBe(401);
    for (const name of ['state', 'iss']) {
      const { browser, status } = await connect('approve', ({ searchParams }) =>
        searchParams.set(name, 'https://elsewhere.example'),
      );
      expect([name, status, (await browser.send('GET', '/business')).status]).toEqual([name, 403, 401]);
    }
  });
});
