import { describe, expect, test } from '@jest/globals';
import { createBrowser } from '../../harness/browser.ts';
import { authorizeApplication, authorizePath } from '../../harness/oauth.ts';
import {
  application,
  clearThrottles,
  exhaustThrottles,
  expectDocumented,
  impatient,
  keysPath,
  orphaned,
  owner,
  platform,
  rawResponse,
  usual,
} from './stage.ts';

const json = { 'Content-Type': 'application/json' };
export const tokenPath = '/v2/oauth/token';
export const revokePath = '/v2/oauth/revoke';
const metadataPath = '/.well-known/oauth-authorization-server';

const clientFields = () => ({ client_id: application.clientId, client_secret: application.clientSecret });
const post = (path: string, fields: Readonly<Record<string, unknown>>, gateway = usual) =>
  platform.request(gateway, 'POST', path, { body: { ...clientFields(), ...fields } });
export const postBrings = async (
  status: number,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  gateway = usual,
) => {
  const response = await post(path, fields, gateway);
  expectDocumented('POST', path, response, status);
  return response.json() as Readonly<Record<string, string>>;
};
const exchange = async () => {
  const { code, verifier } = await authorizeApplication(owner.browser, application);
  return postBrings(200, tokenPath, { grant_type: 'authorization_code', code, code_verifier: verifier });
};

/** Token and revocation endpoints. */
export function describeOAuth(): void {
  describe('token and revocation endpoint', () => {
    test('a pair for a code and for a refresh token, by JSON, form and Basic; then both revoked', async () => {
      const pair = await exchange();
      const grant = { grant_type: 'refresh_token', refresh_token: pair.refresh_token };
      const refreshed = await postBrings(200, tokenPath, grant);
      const { client_id: id, client_secret: secret } = clientFields();
      const response = await platform.request(usual, 'POST', tokenPath, {
        headers: {
          Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: String(new URLSearchParams({ ...grant, refresh_token: refreshed.refresh_token ?? '' })),
      });
      expectDocumented('POST', tokenPath, response, 200);
      await postBrings(200, revokePath, { token: refreshed.access_token, token_type: 'access_token' });
      await postBrings(200, revokePath, { token: 'unknown', token_type: 'refresh_token' });
    });

    test('400 of every kind', async () => {
      const { refresh_token: token } = await exchange();
      const foreign = await platform.createApplication({ businessId: platform.businessId });
      const asForeign = { client_id: foreign.clientId, client_secret: foreign.clientSecret };
      await platform.suspendApplication(application);
      const suspended = await postBrings(400, tokenPath, {
        grant_type: 'refresh_token',
        refresh_token: token,
      });
      const page = await owner.browser.send('GET', authorizePath(application));
      await platform.resumeApplication(application);
      expectDocumented('GET', authorizePath(application), page, 403);
      const errors = [
        suspended,
        await postBrings(400, tokenPath, {
          grant_type: 'authorization_code',
          code: 'ac_x',
          code_verifier: 'short',
        }),
        await postBrings(400, tokenPath, {
          grant_type: 'authorization_code',
          code: 'ac_x',
          code_verifier: 'v'.repeat(43),
        }),
        await postBrings(400, tokenPath, { grant_type: 'refresh_token', refresh_token: 'rt_x' }),
        await postBrings(400, tokenPath, {
          grant_type: 'refresh_token',
          refresh_token: token,
          scope: 'orders:write',
        }),
        await postBrings(400, tokenPath, { grant_type: 'password' }),
        await postBrings(400, revokePath, {}),
        await postBrings(400, revokePath, { ...asForeign, token, token_type_hint: 'refresh_token' }),
      ];
      expect(errors.map(({ error }) => error)).toEqual([
        'unauthorized_client',
        ...['invalid_request', 'invalid_grant', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
        ...['invalid_request', 'invalid_grant'],
      ]);
    });

    test.each([tokenPath, revokePath])('%s: 401, 403, 411, 413, and 400 of the gateway', async (path) => {
      await postBrings(401, path, { client_secret: 'wrong' });
      const overHttp = { headers: { 'X-Forwarded-Proto': 'http' }, body: {} };
      expectDocumented('POST', path, await platform.request(impatient, 'POST', path, overHttp), 403);
      await postBrings(413, path, { token: 'x'.repeat(70_000) });
      const twice = { ...json, Authorization: ['Basic eDp5', 'Basic eDp5'] };
      expectDocumented(
        'POST',
        path,
        await platform.request(usual, 'POST', path, { headers: twice, body: '{}' }),
        400,
      );
      expectDocumented('POST', path, await rawResponse(`POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), 411);
    });

    test.each([tokenPath, revokePath])('%s: 429', async (path) => {
      await post(path, {});
      await exhaustThrottles();
      await postBrings(429, path, {});
      await clearThrottles();
    });
  });

  describe('authorization page and metadata', () => {
    const ask = async (status: number, path: string, browser = owner.browser) => {
      const response = await browser.send('GET', path);
      expectDocumented('GET', path, response, status);
      return String(response.headers.location);
    };
    const strangerAt = (gateway: number) => createBrowser(platform.gatewayPorts[gateway] ?? 0);

    test('a page, the login, and back to the application', async () => {
      const another = await platform.createApplication({ businessId: platform.businessId });
      await ask(200, authorizePath(another));
      expect(await ask(303, authorizePath(another), strangerAt(usual))).toMatch(/^\/login\?/);
      const back = await ask(303, authorizePath(another, { response_type: 'token' }));
      expect(back).toMatch(/^https:\/\/app\.example\/callback\?error=unsupported_response_type/);
    });

    test('400: a page, or the gateway', async () => {
      await ask(400, authorizePath(application, { client_id: 'app_unknown' }));
      await ask(400, authorizePath(application, { redirect_uri: 'https://elsewhere.example/' }));
      const path = authorizePath(application);
      const headers = { Authorization: ['Bearer a', 'Bearer b'] };
      expectDocumented('GET', path, await platform.request(usual, 'GET', path, { headers }), 400);
    });

    test('429', async () => {
      await strangerAt(usual).send('GET', authorizePath(application));
      await exhaustThrottles();
      await ask(429, authorizePath(application), strangerAt(usual));
      await clearThrottles();
    });

    test('the metadata, and 400', async () => {
      expectDocumented('GET', metadataPath, await platform.request(usual, 'GET', metadataPath), 200);
      const headers = { Authorization: ['Bearer a', 'Bearer b'] };
      expectDocumented(
        'GET',
        metadataPath,
        await platform.request(usual, 'GET', metadataPath, { headers }),
        400,
      );
    });

    test('the public keys of a webhook endpoint, 400, 404 and 429', async () => {
      const keys = async (status: number, path = keysPath, headers = {}) =>
        expectDocumented('GET', path, await platform.request(usual, 'GET', path, { headers }), status);
      await keys(200);
      await keys(400, keysPath, { Authorization: ['Bearer a', 'Bearer b'] });
      await keys(404, keysPath.replace(/.{20}$/, '0'.repeat(20)));
      await exhaustThrottles();
      await keys(429);
      await clearThrottles();
    });

    test.each([
      ['/oauth/authorize', () => '/oauth/authorize'],
      ['the metadata', () => metadataPath],
      ['the keys', () => keysPath],
    ])('%s: anything else', async (_, pathOf) => {
      const path = pathOf();
      const headers = { 'X-Large': 'x'.repeat(20_000) };
      expectDocumented('GET', path, await platform.request(usual, 'GET', path, { headers }), 431);
    });
  });

  describe('the OAuth operations while identity-service', () => {
    const all = () =>
      [
        ['GET', '/oauth/authorize'],
        ['GET', metadataPath],
        ['GET', keysPath],
        ['POST', tokenPath],
        ['POST', revokePath],
      ] as const;
    const askAll = async (gateway: number, ofPages: number) => {
      for (const [method, path] of all()) {
        const isEndpoint = method === 'POST';
        const response = await platform.request(
          gateway,
          method,
          path,
          isEndpoint ? { body: clientFields() } : {},
        );
        expectDocumented(method, path, response, isEndpoint ? 503 : ofPages);
        if (isEndpoint) expect(JSON.parse(response.text)).toMatchObject({ error: 'server_error' });
      }
    };

    test('is not there: 502, and 503 of the endpoints', () => askAll(orphaned, 502));

    test('is silent: 504, and 503 of the endpoints', async () => {
      platform.identities[0]?.freeze();
      try {
        await askAll(impatient, 504);
      } finally {
        platform.identities[0]?.thaw();
      }
    });
  });
}
