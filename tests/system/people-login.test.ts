import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, createBrowser, decode } from '../harness/browser.ts';
import { logIn, newAddress, signUp, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);
let ada: TestPerson;
beforeAll(async () => {
  ada = await signUp(platform);
});

const newBrowser = (gateway = 0) => createBrowser(platform.gatewayPorts[gateway] ?? 0);
const withoutTokens = (text: string) => text.replace(/name="_csrf" value="[^"]*"/g, '');

async function tryLogIn(email: string, password: string, browser: Browser = newBrowser()) {
  await browser.open('/login');
  return browser.submit('/login', { email, password });
}

test('logging in opens a session, and logging out ends it even if its cookie is sent again', async () => {
  const browser = await logIn(platform, ada);
  await browser.open('/account/sessions');
  expect(browser.page.response.text).toContain('This session');
  const { session } = browser;
  await browser.submitAndFollow('/logout');
  expect(browser.page.response.text).toContain('You are logged out.');
  browser.session = session;
  await browser.open('/account/sessions');
  expect(browser.page.path).toBe('/login?continue=%2Faccount%2Fsessions');
});

test('a login on one replica counts on the other', async () => {
  const browser = await logIn(platform, ada);
  const other = newBrowser(1);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  for (let i = 0; i < 4; i++) expect((await other.open('/account/sessions')).status).toBe(200);
});

test('the email address may contain capital letters and surrounding spaces', async () => {
  const response = await tryLogIn(` ${ada.email.toUpperCase()} `, ada.password);
  expect(response.headers.location).toBe('/dashboard');
});

test('a wrong password gets the same response for a known and an unknown email address', async () => {
  const wrong = await tryLogIn(ada.email, 'not my password at all');
  const email = newAddress('unknown');
  const unknown = await tryLogIn(email, 'not my password at all');
  expect([wrong.status, unknown.status]).toEqual([400, 400]);
  expect(withoutTokens(unknown.text).replace(email, '…')).toBe(
    withoutTokens(wrong.text).replace(ada.email, '…'),
  );
  expect(wrong.text).not.toContain('not my password at all');
});

describe('a session', () => {
  test('gets a new ID at login, regardless of the cookie before it', async () => {
    const attacker = newBrowser();
    await attacker.open('/login');
    const fixed = attacker.session ?? '';
    const victim = newBrowser();
    await victim.open('/login');
    victim.session = fixed;
    await tryLogIn(ada.email, ada.password, victim);
    expect(victim.session).not.toBe(fixed);
    await attacker.open('/account/sessions');
    expect(attacker.page.path).toBe('/login?continue=%2Faccount%2Fsessions');
  });

  test('of a visitor keeps its ID without another cookie', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    const first = browser.session;
    const again = await browser.open('/signup');
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(browser.session).toBe(first);
  });

  test.each(['', 'nonsense', 's:nonsense.nonsense', `s%3A${'a'.repeat(32)}.${'b'.repeat(43)}`])(
    'is replaced when its cookie has no valid signature: %j',
    async (cookie) => {
      const browser = newBrowser();
      await browser.open('/login');
      browser.session = cookie;
      expect((await browser.open('/login')).status).toBe(200);
      expect(browser.session).not.toBe(cookie);
    },
  );

  test('cookie is HttpOnly and SameSite=Lax', async () => {
    const { headers } = await newBrowser().send('GET', '/login');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^session-\d+=s%3A[\w.%-]+; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });
});

describe('a login', () => {
  const leadsTo = async (wish: string) => {
    const browser = newBrowser();
    await browser.open(`/login?continue=${encodeURIComponent(wish)}`);
    return (await browser.submit('/login', { email: ada.email, password: ada.password })).headers.location;
  };

  test('leads back to the page that required it', async () => {
    const browser = newBrowser();
    await browser.open('/account/verification?business=1');
    expect(browser.page.path).toBe('/login?continue=%2Faccount%2Fverification%3Fbusiness%3D1');
    const { headers } = await browser.submit('/login', { email: ada.email, password: ada.password });
    expect(headers.location).toBe('/account/verification?business=1');
  });

  test('continues to an authorization request via a page, so that form-action does not block its redirects', async () => {
    const browser = newBrowser();
    const wish = '/oauth/authorize?client_id=app_1&state="><b>';
    await browser.open(`/login?continue=${encodeURIComponent(wish)}`);
    const { status, text } = await browser.submit('/login', { email: ada.email, password: ada.password });
    expect(status).toBe(200);
    const [, url = ''] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text) ?? [];
    expect(decode(url)).toBe('/oauth/authorize?client_id=app_1&state=%22%3E%3Cb%3E');
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '///evil.example/%2e%2e',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'http:evil.example',
    '@evil.example',
  ])('never leads to another site: %j', async (wish) => {
    expect(await leadsTo(wish)).toBe('/dashboard');
  });

  test('never leads to another site by a tampered form', async () => {
    const browser = newBrowser();
    await browser.open('/login');
    const fields = { email: ada.email, password: ada.password, continue: '//evil.example' };
    expect((await browser.submit('/login', fields)).headers.location).toBe('/dashboard');
  });
});

test('under https the session cookie is Secure and bound to its host, and HSTS is on', async () => {
  const secure = await startPlatform({ identityEnv: { PUBLIC_URL: 'https://platform.test' } });
  try {
    const browser = createBrowser(secure.gatewayPorts[0] ?? 0);
    const { headers } = await browser.open('/login');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-session=s%3A[\w.%-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const person = await signUp(secure);
    expect([...person.browser.cookies.keys()].filter((name) => !name.startsWith('__Host-'))).toEqual([]);
  } finally {
    await secure.close();
  }
});
