import { beforeAll, describe, expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { request } from '../harness/http-request.ts';
import { authorizePath } from '../harness/oauth.ts';
import { logIn, newAddress, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);
let ada: TestPerson;
beforeAll(async () => {
  ada = await signUp(platform);
});

const newBrowser = () => createBrowser(platform.gatewayPorts[0] ?? 0);
const tokenOf = (page: string) => /name="_csrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
const form = 'application/x-www-form-urlencoded';

const actions = [
  ['/signup', { email: newAddress('eve') }],
  ['/login', { email: newAddress('eve'), password: 'x' }],
  ['/login/passkey/options', {}],
  ['/login/second-factor/passkey/options', {}],
  ['/logout', {}],
  ['/password/forgot', { email: newAddress('eve') }],
  ['/password/reset', { token: 'x', new_password: 'x' }],
  ['/account/password', { password: 'x', new_password: 'x' }],
  ['/account/verification', { business: '1', legal_name: 'x', registration_number: 'x', country: 'DE' }],
  ['/account/second-factor/begin', { password: 'x' }],
  ['/account/second-factor/confirm', { code: '123456' }],
  ['/account/second-factor/change', { password: 'x', do: 'off' }],
  ['/account/sessions/end', { session: 'a'.repeat(64) }],
  ['/account/sessions/end-others', {}],
] as const;

describe('a form without the token of its own session is refused:', () => {
  test.each(actions)('%s', async (action, fields) => {
    const browser = await logIn(platform, ada);
    const visitor = newBrowser();
    const foreign = tokenOf((await visitor.open('/login')).text);
    const beforeLogin = tokenOf((await newBrowser().open('/login')).text);
    for (const token of [undefined, '', 'x'.repeat(43), foreign, beforeLogin]) {
      const sent = token === undefined ? fields : { ...fields, _csrf: token };
      const { status } = await browser.send('POST', action, { form: sent });
      expect([token, status]).toEqual([token, 403]);
    }
    expect((await browser.open('/account/sessions')).status).toBe(200);
    expect(browser.page.path).toBe('/account/sessions');
  });
});

test('a CSRF token from before the login does not work after it', async () => {
  const browser = newBrowser();
  const old = tokenOf((await browser.open('/login')).text);
  await browser.submitAndFollow('/login', { email: ada.email, password: ada.password });
  expect((await browser.send('POST', '/logout', { form: { _csrf: old } })).status).toBe(403);
});

describe('an old form of a person who has logged in since, as in a second tab, redirects:', () => {
  const confirm = { token: 'x', name: 'x', password: 'x', business_name: 'x', username: 'x' };
  const forms = [
    ['/login', { email: '', password: 'x' }],
    ['/login/second-factor', { code: '123456' }],
    ['/login/passkey', { credential: '{}' }],
    ['/login/second-factor/passkey', { credential: '{}' }],
    ['/signup', { email: '' }],
    ['/signup/confirm', confirm],
  ] as const;

  test.each(forms)('%s', async (action, given) => {
    const browser = newBrowser();
    const _csrf = tokenOf((await browser.open('/login?continue=/account/sessions')).text);
    await browser.submitAndFollow('/login', { email: ada.email, password: ada.password });
    const own = 'email' in given ? { email: ada.email.toUpperCase() } : {};
    const form = { ...given, ...own, _csrf };
    const send = (path: string) => browser.send('POST', action, { form: { ...form, continue: path } });
    expect(await send('/account/sessions')).toMatchObject({
      status: 303,
      headers: { location: '/account/sessions' },
    });
    expect(await send('//evil.example')).toMatchObject({ status: 303, headers: { location: '/dashboard' } });
    expect((await send('/oauth/authorize?a=b')).text).toContain('url=/oauth/authorize?a=b"');
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await browser.send('POST', action, { form, headers })).status).toBe(403);
  });

  test('the page for the code in a second tab redirects as well', async () => {
    const browser = await logIn(platform, ada);
    await browser.open('/login/second-factor?continue=/account/sessions');
    expect(browser.page.path).toBe('/account/sessions');
  });
});

test('a login form cannot log a person in to the account of another person', async () => {
  const grace = await signUp(platform);
  const attacker = newBrowser();
  const token = tokenOf((await attacker.open('/login')).text);
  const fields = {
    _csrf: token,
    email: grace.email,
    password: grace.password,
    continue: '/account/sessions',
  };
  const victim = await logIn(platform, ada);
  for (const browser of [newBrowser(), victim]) {
    expect((await browser.send('POST', '/login', { form: fields })).status).toBe(403);
  }
  const refused = await victim.send('POST', '/login', { form: fields });
  expect(refused.text).toContain(ada.email);
  expect(refused.text).toContain('href="/account/sessions"');
  expect((await victim.send('GET', '/dashboard-api/profile')).text).toContain(ada.email);
});

describe('a request with the right token is refused when a page of another site sent it:', () => {
  const foreign = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ];

  test.each(['/logout', '/account/sessions/end-others', '/oauth/consent'])('%s', async (action) => {
    const browser = await logIn(platform, ada);
    const token = tokenOf((await browser.open('/account/sessions')).text);
    for (const headers of foreign) {
      const { status, text } = await browser.send('POST', action, { form: { _csrf: token }, headers });
      expect([status, text]).toEqual([403, expect.stringContaining('another site')]);
    }
    await browser.open('/account/sessions');
    expect(browser.page.path).toBe('/account/sessions');
  });

  test('the dashboard API', async () => {
    const browser = await logIn(platform, ada);
    const token = tokenOf((await browser.open('/account/sessions')).text);
    for (const headers of foreign) {
      const response = await browser.send('DELETE', '/dashboard-api/profile/sessions', {
        headers: { 'X-CSRF-Token': token, ...headers },
      });
      expect([response.status, response.json()]).toMatchObject([403, { code: 403 }]);
    }
  });

  test('but a link from an application to its authorization request works', async () => {
    const application = await platform.createApplication({ businessId: platform.businessId });
    const owner = await signUpVerified(platform);
    const { status, text } = await owner.browser.send('GET', authorizePath(application), {
      headers: {
        'Sec-Fetch-Site': 'cross-site',
        'Sec-Fetch-Mode': 'navigate',
        Origin: 'https://app.example',
      },
    });
    expect([status, text]).toEqual([200, expect.stringContaining('name="decision" value="approve"')]);
  });
});

describe('an invalid form gets an error page instead of a 500:', () => {
  const cases: [string, (token: string) => { body: string; type?: string }, number][] = [
    ['a field twice', (t) => ({ body: `_csrf=${t}&email=a@b.example&email=c@d.example&password=x` }), 400],
    ['the token twice', (t) => ({ body: `_csrf=${t}&_csrf=${t}&email=a@b.example&password=x` }), 400],
    ['an array', (t) => ({ body: `_csrf=${t}&email[]=a@b.example&password=x` }), 400],
    ['an object', (t) => ({ body: `_csrf=${t}&email[a]=a@b.example&password=x` }), 400],
    ['__proto__', (t) => ({ body: `_csrf=${t}&__proto__=x&email=a@b.example&password=x` }), 400],
    ['__proto__ as an object', (t) => ({ body: `_csrf=${t}&__proto__[personId]=x&email=a&password=x` }), 400],
    ['constructor', (t) => ({ body: `_csrf=${t}&constructor=x&email=a@b.example&password=x` }), 400],
    ['a missing field', (t) => ({ body: `_csrf=${t}&email=a@b.example` }), 400],
    ['an unknown field', (t) => ({ body: `_csrf=${t}&email=a@b.example&password=x&is_admin=1` }), 400],
    ['broken percent signs', (t) => ({ body: `_csrf=${t}&email=%&password=%ZZ%00%ff` }), 400],
    ['a body that is too large', (t) => ({ body: `_csrf=${t}&email=a&password=${'x'.repeat(33_000)}` }), 413],
    ['ten thousand fields', (t) => ({ body: `_csrf=${t}${'&a=1'.repeat(4_000)}` }), 400],
    ['JSON', () => ({ body: '{"email":"a","password":"b"}', type: 'application/json' }), 415],
    ['deep JSON', () => ({ body: '['.repeat(8_000), type: 'application/json' }), 415],
    ['no type', () => ({ body: 'email=a', type: '' }), 415],
    ['another charset', (t) => ({ body: `_csrf=${t}`, type: `${form}; charset=klingon` }), 415],
    ['multipart', () => ({ body: '--x--', type: 'multipart/form-data; boundary=x' }), 415],
    ['nothing', () => ({ body: '' }), 403],
  ];
  test.each(cases)('%s', async (_, make, expected) => {
    const browser = newBrowser();
    const token = tokenOf((await browser.open('/login')).text);
    const { body, type = form } = make(token);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { Cookie: cookie, ...(type !== '' && { 'Content-Type': type }) };
    const { status, text } = await request(platform.gatewayPorts[0] ?? 0, 'POST', '/login', {
      headers,
      body,
    });
    expect(status).toBe(expected);
    expect(text).toMatch(/^<!doctype html>.*<h1>/s);
  });
});

test.each([
  '/login?continue=/a&continue=/b',
  '/signup/confirm?token=a&token=b',
  '/password/reset?token=a&token=b',
])('a repeated parameter is refused: %s', async (path) => {
  expect((await newBrowser().open(path)).status).toBe(400);
});

test.each(['/account/nowhere', '/account/password/x', '/assets/nothing.css'])(
  '%s gets the 404 page of identity-service',
  async (path) => {
    const { status, text } = await newBrowser().open(path);
    expect([status, text]).toEqual([404, expect.stringContaining('<h1>Page not found</h1>')]);
  },
);

test('every page has security headers, and no inline script or style', async () => {
  const paths = ['/login', '/signup', '/password/forgot', '/account/password', '/account/sessions'];
  const browser = await logIn(platform, ada);
  for (const page of [...paths, '/account/second-factor', '/account/verification', '/account/nowhere']) {
    const { headers, text } = await browser.send('GET', page);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/i);
    expect(headers).not.toHaveProperty('x-powered-by');
  }
});

test('the stylesheet is cached permanently under a name that changes with its content', async () => {
  const browser = newBrowser();
  const { text } = await browser.open('/login');
  const [, path = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? [];
  const { status, headers } = await browser.send('GET', path);
  expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
});

test.each([{}, { 'X-Gateway-Secret': '' }, { 'X-Gateway-Secret': 'x'.repeat(64) }])(
  'a client other than the gateway gets 404: %j',
  async (headers) => {
    const port = platform.identities[0]?.ports.http ?? 0;
    for (const path of ['/login', '/assets/x', '/oauth/token', '/healthz']) {
      const response = await request(port, 'GET', path, { headers });
      expect([response.status, response.text]).toEqual([404, '']);
    }
    const right = { 'X-Gateway-Secret': platform.secrets.gatewaySecret };
    expect((await request(port, 'GET', '/login', { headers: right })).status).toBe(200);
  },
);
