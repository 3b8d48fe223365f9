import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { oauthError } from '../harness/error-responses.ts';
import { type HttpResponse, request } from '../harness/http-request.ts';
import { authorizeApplication, connect, type OAuthClient, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 4.3 and 7.1: the token endpoint with authorization codes. */

const path = '/v2/oauth/token';
const form = 'application/x-www-form-urlencoded';

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});

/** Rows of the owner's connections. */
const mine = 'grant_id IN (SELECT id FROM grants WHERE business_id = $1)';

const authorize = (change = {}) => authorizeApplication(owner.browser, application, change);
const send = (type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  request(platform.gatewayPorts[0] ?? 0, 'POST', path, {
    headers: { 'Content-Type': type, ...headers },
    body,
  });
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** Expects an OAuth error in JSON that may not be stored. */
function expectError(response: HttpResponse, status: number, error: string): void {
  expect([response.status, response.json()]).toEqual([status, oauthError(error)]);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['content-type']).toMatch(/^application\/json/);
}

describe('a token request is understood', () => {
  const fields = (code: string, verifier: string) => ({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
  });
  const credentials = () => ({ client_id: application.clientId, client_secret: application.clientSecret });

  test.each([
    [form],
    [`${form};charset=UTF-8`],
    [`${form} ; charset=utf-8`],
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON'],
    ['application/json; charset=utf8;'],
    [`${form}; odata=verbose`],
  ])('as %s', async (type) => {
    const { code, verifier } = await authorize();
    const given = { ...fields(code, verifier), ...credentials() };
    const body = /json/i.test(type) ? JSON.stringify(given) : String(new URLSearchParams(given));
    expect((await send(type, body)).status).toBe(200);
  });

  test.each([['application/json'], [form]])('with Basic credentials and %s', async (type) => {
    const { code, verifier } = await authorize();
    const given = fields(code, verifier);
    const body = type === form ? String(new URLSearchParams(given)) : JSON.stringify(given);
    const authorization = basic(application.clientId, application.clientSecret);
    expect((await send(type, body, { Authorization: authorization })).status).toBe(200);
  });

  test.each([
    ['the same redirect_uri', () => application.redirectUri, 200],
    ['none', () => undefined, 200],
    ['another one', () => `${application.redirectUri}/x`, 400],
  ])('with %s', async (_, redirectUri, status) => {
    const { code, verifier } = await authorize();
    const response = await client.exchange(code, verifier, { redirect_uri: redirectUri() });
    expect(response.status).toBe(status);
    if (status === 400) expect(response.body.error).toBe('invalid_grant');
  });
});

describe('a token request is refused as malformed', () => {
  const json = JSON.stringify;
  test.each([
    ['text/plain', 'grant_type=refresh_token'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['', 'grant_type=refresh_token'],
    [form, ''],
    [form, 'grant_type=refresh_token&grant_type=refresh_token'],
    [form, 'client_id=a&client_secret=b&client_id=a'],
    [form, 'client_id[]=a&client_secret=b'],
    [form, 'client_id=a%00&client_secret=b'],
    ['application/json', ''],
    ['application/json', '{'],
    ['application/json', 'null'],
    ['application/json', '[]'],
    ['application/json', json(['grant_type'])],
    ['application/json', json({ grant_type: ['refresh_token'] })],
    ['application/json', json({ grant_type: { $ne: null } })],
    ['application/json', json({ client_id: 1, client_secret: 2 })],
    ['application/json', json({ client_id: null })],
    ['application/json', json({ client_id: true })],
    ['application/json', '{"__proto__":{"client_id":"a","client_secret":"b"}}'],
    ['application/json', '{"constructor":{"prototype":{"client_id":"a"}}}'],
    ['application/json', '{"client_id":"a","client_id":"b","client_secret":"c"}'],
    ['application/json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['application/json', `{"code":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['application/json; charset=utf-16', '{}'],
    ['application/json; charset=nonsense', '{}'],
    [`${form}; charset=iso-8859-1`, 'grant_type=refresh_token'],
    [form, Buffer.from([0x61, 0x3d, 0xff])],
  ])('%s %j', async (type, body) => {
    expectError(await send(type, body), 400, 'invalid_request');
  });

  test('a compressed body', async () => {
    expectError(await send(form, 'a=b', { 'Content-Encoding': 'gzip' }), 400, 'invalid_request');
  });

  test('a body of more than 64 kB: 413', async () => {
    expectError(await send(form, `a=${'b'.repeat(66_000)}`), 413, 'invalid_request');
  });

  test('another method: 405', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await platform.request(0, method, path)).status).toBe(405);
    }
  });

  test.each(['grant_type', 'code', 'code_verifier', 'client_id', 'client_secret'])(
    '%s missing',
    async (name) => {
      const { code, verifier } = await authorize();
      for (const value of [undefined, '']) {
        const { response } = await client.exchange(code, verifier, { [name]: value });
        expectError(response, 400, 'invalid_request');
      }
      expect((await client.exchange(code, verifier)).status).toBe(200);
    },
  );

  test('an unknown grant_type', async () => {
    for (const grant_type of ['password', 'client_credentials', '__proto__', 'constructor']) {
      expectError((await client.post(path, { grant_type })).response, 400, 'unsupported_grant_type');
    }
  });
});

describe('a client that does not authenticate', () => {
  test.each([
    ['an unknown client', () => ({ client_id: 'app_00000000000000000000000000000000' })],
    ['a wrong secret', () => ({ client_secret: 'cs_0000000000000000000000000000000000000000000000' })],
    ['another kind of text for a secret', () => ({ client_secret: "' OR 1=1 --" })],
    ['a very long secret', () => ({ client_secret: 'x'.repeat(10_000) })],
  ])('%s: 401 invalid_client, and the code survives', async (_, change) => {
    const { code, verifier } = await authorize();
    const { response } = await client.exchange(code, verifier, change());
    expectError(response, 401, 'invalid_client');
    expect(response.headers['www-authenticate']).toMatch(/^Basic /);
    expect((await client.exchange(code, verifier)).status).toBe(200);
  });

  test('a valid client from another address gets the same response as for a wrong secret', async () => {
    const elsewhere = await platform.createApplication({
      businessId: owner.businessId,
      ipWhitelist: ['192.0.2.0/24'],
    });
    const there = await oauthClient(platform, elsewhere).post(path, { grant_type: 'refresh_token' });
    const wrong = await client.post(path, { grant_type: 'refresh_token', client_secret: 'wrong' });
    expect(there.response.text).toBe(wrong.response.text);
    expect(there.status).toBe(401);
    const headers = ({ response }: typeof there) =>
      Object.keys(response.headers)
        .filter((name) => name !== 'x-request-id')
        .sort();
    expect(headers(there)).toEqual(headers(wrong));
  });

  test('credentials in header and body: 400', async () => {
    const authorization = basic(application.clientId, application.clientSecret);
    const { response } = await client.post(
      path,
      { grant_type: 'refresh_token' },
      { Authorization: authorization },
    );
    expectError(response, 400, 'invalid_request');
  });
});

describe('a code', () => {
  test.each([42, 129])('with a verifier of %i characters is refused, and survives', async (length) => {
    const { code, verifier } = await authorize();
    expectError((await client.exchange(code, 'a'.repeat(length))).response, 400, 'invalid_request');
    expect((await client.exchange(code, verifier)).status).toBe(200);
  });

  test.each(['+', '/', '=', ' ', '%', 'é'])(
    'with %j in the verifier is refused, and survives',
    async (character) => {
      const { code, verifier } = await authorize();
      expectError((await client.exchange(code, `${verifier}${character}`)).response, 400, 'invalid_request');
      expect((await client.exchange(code, verifier)).status).toBe(200);
    },
  );

  test('with another verifier is used up', async () => {
    const { code, verifier } = await authorize();
    expectError((await client.exchange(code, `${verifier}x`)).response, 400, 'invalid_grant');
    expectError((await client.exchange(code, verifier)).response, 400, 'invalid_grant');
  });

  test('of another client is refused and stays valid for its own client', async () => {
    const { code, verifier } = await authorize();
    const other = await platform.createApplication({ businessId: platform.businessId });
    expectError((await oauthClient(platform, other).exchange(code, verifier)).response, 400, 'invalid_grant');
    expect((await client.exchange(code, verifier)).status).toBe(200);
    await platform.deleteApplication(other);
  });

  test.each(['nonsense', 'ac_000000000000000000000000000000000000000', 'x'.repeat(5_000)])(
    'that is %.20s is refused',
    async (code) => {
      expectError((await client.exchange(code, 'a'.repeat(43))).response, 400, 'invalid_grant');
    },
  );

  test('is good until its expiry on the clock of the database, and not at it', async () => {
    const { code, verifier } = await authorize();
    const seconds = await platform.sql<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM authorization_codes
       WHERE ${mine} ORDER BY created_at DESC LIMIT 1`,
      [owner.businessId],
    );
    // The expiry counts from the lock, the creation from the insert.
    expect(Math.round((seconds[0]?.seconds ?? 0) / 60)).toBe(10);
    await platform.sql(
      `UPDATE authorization_codes SET expires_at = clock_timestamp() WHERE used_at IS NULL AND ${mine}`,
      [owner.businessId],
    );
    expectError((await client.exchange(code, verifier)).response, 400, 'invalid_grant');
  });

  test('that is used twice revokes all tokens issued from it, and no others', async () => {
    const other = await signUpVerified(platform);
    const untouched = await connect(platform, other.browser, application);
    const { code, verifier } = await authorize();
    const tokens = tokensOf(await client.exchange(code, verifier));
    expect((await platform.me(tokens.accessToken)).status).toBe(200);
    expectError((await client.exchange(code, verifier)).response, 400, 'invalid_grant');
    for (const gateway of [0, 1]) expect((await platform.me(tokens.accessToken, gateway)).status).toBe(401);
    expectError((await client.refresh(tokens.refreshToken)).response, 400, 'invalid_grant');
    expect((await platform.me(untouched.accessToken)).status).toBe(200);
    expect((await client.refresh(untouched.refreshToken)).status).toBe(200);
  });

  test('exchanged by 20 requests at once succeeds for only one of them, in each of 50 rounds', async () => {
    for (let round = 0; round < 50; round++) {
      const { code, verifier } = await authorize();
      const attempts = Array.from({ length: 20 }, (_, n) => client.exchange(code, verifier, {}, n % 2));
      const responses = await Promise.all(attempts);
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
      const errors = responses.filter(({ status }) => status === 400).map(({ body }) => body.error);
      expect(new Set(errors)).toEqual(new Set(['invalid_grant']));
    }
  });
});
