import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOAuthClient, isDisconnected, isRefusal } from './oauth.ts';

/** An authorization server that gives numbered pairs, and drops the first refresh of each token without a response. */
let server: Server;
let issuer = '';
const refreshes: { readonly token: string | null; readonly key: string | undefined }[] = [];
let disconnected = false;
let failing = false;

beforeAll(async () => {
  server = createServer(async (req, res): Promise<unknown> => {
    const form = new URLSearchParams((await req.toArray()).join(''));
    const json = (status: number, body: unknown) =>
      res
        .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
        .end(JSON.stringify(body));
    if (req.method === 'GET') {
      const at = (path: string) => `${issuer}${path}`;
      return json(200, {
        issuer,
        authorization_endpoint: at('/authorize'),
        token_endpoint: at('/token'),
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (form.get('grant_type') === 'refresh_token') {
      refreshes.push({ token: form.get('refresh_token'), key: String(req.headers['idempotency-key']) });
      if (disconnected) return json(400, { error: 'invalid_grant' });
      if (refreshes.length === 1) return res.destroy();
      if (failing) return json(503, { error: 'server_error' });
    }
    const n = refreshes.length;
    return json(200, {
      access_token: `at_${n}`,
      refresh_token: `rt_${n}`,
      token_type: 'Bearer',
      expires_in: 3600,
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(() => void server.close());

const settings = { clientId: 'app_1', clientSecret: 'cs_1', redirectUri: 'http://127.0.0.1/cb', scope: 'a' };
const callback = (parameters: Record<string, string>) =>
  new URL(`http://127.0.0.1/cb?${new URLSearchParams(parameters)}`);

test('a callback counts only with the state that was sent, from the issuer that was asked', async () => {
  const client = await createOAuthClient({ issuer, ...settings });
  const { pending, url } = await client.begin();
  expect(new URL(url).searchParams.get('state')).toBe(pending.state);
  const { state } = pending;
  const read = (parameters: Record<string, string>) => () =>
    client.readCallback(callback(parameters), pending);
  expect(read({ code: 'ac', state, iss: issuer })).not.toThrow();
  expect(read({ code: 'ac', state: 'other', iss: issuer })).toThrow('state');
  expect(read({ code: 'ac', state, iss: 'https://other.test' })).toThrow('iss');
  expect(read({ code: 'ac', state })).toThrow('iss');
  const refusal = await Promise.resolve()
    .then(read({ error: 'access_denied', state, iss: issuer }))
    .catch((e) => e);
  expect(isRefusal(refusal)).toBe(true);
});

test('refreshes at the same time share one request, repeated with its key after an error or no response', async () => {
  const client = await createOAuthClient({ issuer, ...settings });
  const { pending } = await client.begin();
  const parameters = client.readCallback(
    callback({ code: 'ac', state: pending.state, iss: issuer }),
    pending,
  );
  const connection = await client.exchangeCode(parameters, pending);
  await Promise.all([connection.refresh(), connection.refresh(), connection.refresh()]);
  expect(refreshes.map(({ token }) => token)).toEqual(['rt_0', 'rt_0']);
  expect(new Set(refreshes.map(({ key }) => key)).size).toBe(1);
  await connection.refresh();
  expect(refreshes.at(-1)?.token).toBe('rt_2');
  failing = true;
  await expect(connection.refresh()).rejects.toThrow();
  failing = false;
  await connection.refresh();
  const [first, failed, repeated] = refreshes.slice(-3);
  expect(repeated).toEqual(failed);
  expect(failed?.key).not.toBe(first?.key);
  disconnected = true;
  expect(isDisconnected(await connection.refresh().catch((error) => error))).toBe(true);
});
