import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { cutOff, json, type Step, scriptedServer } from '../testing/scripted-server.ts';
import { Connection, MemoryTokenStore, type TokenStore } from './connection.ts';
import { ConnectionError } from './errors.ts';
import { CallbackError, OAuth } from './oauth.ts';

const callback = 'http://127.0.0.1:9/callback';
const oauthAt = (baseUrl: string) =>
  new OAuth({ baseUrl, clientId: 'app_1', clientSecret: 'cs_1', redirectUri: callback });
const issue = (n: number): Step =>
  json(200, { access_token: `at_${n}`, refresh_token: `rt_${n}`, expires_in: 3600, scope: 'orders:read' });
const first = { accessToken: 'at_1', refreshToken: 'rt_1', refreshKey: 'key-1', scope: '', expiresAt: 0 };
const open = async (...steps: readonly [Step, ...Step[]]) => {
  const { baseUrl, seen } = await scriptedServer(...steps);
  return { oauth: oauthAt(baseUrl), baseUrl, seen };
};
const formOf = ({ body }: { readonly body: string }) => Object.fromEntries(new URLSearchParams(body));

test('an authorization request has a fresh state and the challenge of a fresh verifier', async () => {
  const oauth = oauthAt('https://api.example.com');
  const { url, pending } = await oauth.begin({ scope: 'orders:read', prompt: 'consent' });
  const { origin, pathname, searchParams } = new URL(url);
  expect(origin + pathname).toBe('https://api.example.com/oauth/authorize');
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: 'code',
    client_id: 'app_1',
    redirect_uri: callback,
    state: pending.state,
    code_challenge: createHash('sha256').update(pending.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'orders:read',
    prompt: 'consent',
  });
  expect(pending.codeVerifier).toMatch(/^[\w-]{43}$/);
  const next = await oauth.begin();
  expect(next.pending.state).not.toBe(pending.state);
  expect(next.pending.codeVerifier).not.toBe(pending.codeVerifier);
});

describe('a callback', () => {
  const pending = { state: 's', codeVerifier: 'v' };
  const iss = 'https://api.example.com';
  const read = (fields: string) => oauthAt(iss).readCallback(`${callback}?${fields}`, pending);

  test.each([
    ['another state', `code=c&state=t&iss=${iss}`],
    ['two states', `code=c&state=s&state=s&iss=${iss}`],
    ['no state', `code=c&iss=${iss}`],
    ['another platform', 'code=c&state=s&iss=https://evil.example'],
    ['no platform', 'code=c&state=s'],
    ['an error of a stranger', `error=access_denied&state=t&iss=${iss}`],
    ['no code', `state=s&iss=${iss}`],
  ])('is ignored with %s', (_, fields) => {
    expect(() => read(fields)).toThrow(CallbackError);
    expect(() => read(fields)).toThrow(expect.objectContaining({ code: undefined }));
  });

  test('says that the business refused', () => {
    const denied = () => read(`error=access_denied&error_description=no&state=s&iss=${iss}`);
    expect(denied).toThrow(expect.objectContaining({ code: 'access_denied', message: 'access_denied: no' }));
  });

  test('is exchanged once, also when the response is lost', async () => {
    const { oauth, baseUrl, seen } = await open(cutOff, issue(1));
    const url = `${callback}?code=c&state=s&iss=${baseUrl}`;
    await expect(oauth.finish(url, pending)).rejects.toBeInstanceOf(ConnectionError);
    expect(seen.map(formOf)).toEqual([
      {
        client_id: 'app_1',
        client_secret: 'cs_1',
        grant_type: 'authorization_code',
        code: 'c',
        code_verifier: 'v',
        redirect_uri: callback,
      },
    ]);
    expect(await oauth.finish(url, pending)).toMatchObject({ accessToken: 'at_1', refreshToken: 'rt_1' });
  });
});

describe('a connection', () => {
  test('sends the access token as long as it is valid for two minutes', async () => {
    const { oauth, seen } = await open(issue(2));
    const store = new MemoryTokenStore({ ...first, expiresAt: Date.now() + 130_000 });
    expect(await new Connection(oauth, store).token()).toBe('at_1');
    expect(seen).toEqual([]);
    const late = new MemoryTokenStore({ ...first, expiresAt: Date.now() + 110_000 });
    expect(await new Connection(oauth, late).token()).toBe('at_2');
  });

  test('refreshes once for all that ask at the same time, in every process', async () => {
    const { oauth, seen } = await open(issue(2));
    const memory = new MemoryTokenStore(first);
    let locks = 0;
    const store: TokenStore = {
      load: () => memory.load(),
      lock: (change) => {
        locks++;
        return memory.lock(change);
      },
    };
    const processes = [new Connection(oauth, store), new Connection(oauth, store)];
    const asked = processes.flatMap((one) => [one.token(), one.renew('at_1')]);
    expect(await Promise.all(asked)).toEqual(['at_2', 'at_2', 'at_2', 'at_2']);
    expect([seen.length, locks]).toEqual([1, 2]);
    const key = expect.not.stringMatching('key-1');
    expect(await store.load()).toMatchObject({ refreshToken: 'rt_2', refreshKey: key });
  });

  test('asks again for a lost response, with the same key', async () => {
    const { oauth, seen } = await open(cutOff, issue(2));
    expect(await new Connection(oauth, new MemoryTokenStore(first)).token()).toBe('at_2');
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  });

  test('asks with the same key after the tokens were not stored', async () => {
    const { oauth, seen } = await open(issue(2));
    const memory = new MemoryTokenStore(first);
    let isBroken = true;
    const store: TokenStore = {
      load: () => memory.load(),
      lock: (change) =>
        memory.lock(async (tokens) => {
          const changed = await change(tokens);
          if (isBroken) throw new Error('the disk is full');
          return changed;
        }),
    };
    const connection = new Connection(oauth, store);
    await expect(connection.token()).rejects.toThrow('the disk is full');
    isBroken = false;
    expect(await connection.token()).toBe('at_2');
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  });

  test('ends with an error that says so', async () => {
    const refused = {
      error: 'invalid_grant',
      error_description: 'ended',
      error_uri: '/docs/errors#invalid_grant',
    };
    const { oauth, baseUrl } = await open(json(400, refused));
    await expect(new Connection(oauth, new MemoryTokenStore(first)).token()).rejects.toMatchObject({
      status: 400,
      code: 'invalid_grant',
      help: `${baseUrl}/docs/errors#invalid_grant`,
    });
  });

  test('is revoked by its refresh token, again until it is confirmed', async () => {
    const { oauth, seen } = await open(json(503, {}, { 'Retry-After': '0' }), json(200, {}));
    await new Connection(oauth, new MemoryTokenStore(first)).revoke();
    expect(seen.map(formOf)).toEqual([
      formOf(seen[0] ?? { body: '' }),
      expect.objectContaining({
        token: 'rt_1',
        token_type: 'refresh_token',
      }),
    ]);
  });
});
