import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { request } from '../harness/http-request.ts';
import { authorizePath, connect } from '../harness/oauth.ts';
import { ownDocuments } from '../harness/own-documents.ts';
import { startPlatform } from '../harness/platform.ts';
import { newApplication } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';

/* Scopes and upstreams of the operator's documents at identity-service. */

const next = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
const platform = running(() =>
  startPlatform({
    identityEnv: { API_DIR: ownDocuments(), PASSPORT_PUBLIC_KEYS: next.toString('base64') },
  }),
);
const every = ['business:read', 'events:read', 'invoices:read', 'orders:read', 'orders:write'];
const identityPort = () => platform.identities[0]?.ports.http ?? 0;
const readKeys = () => request(identityPort(), 'GET', '/internal/passport-keys');

async function authorize(bearer: string, requiredScope: string) {
  const client = createGrpcClient(authorizationService, {
    target: platform.targets.identity,
    tls: { kind: 'plain' },
  });
  const response = await client.rpc.Authorize(
    { bearer, clientIp: '192.0.2.1', requiredScope },
    { deadlineMs: 30_000 },
  );
  client.close();
  return response;
}

describe('A scope of a document', () => {
  test('is in the metadata, and in the dashboard with its text.', async () => {
    const { text } = await platform.request(0, 'GET', '/.well-known/oauth-authorization-server');
    expect(JSON.parse(text).scopes_supported).toEqual(every);
    const { dashboard } = await newApplication(platform);
    expect((await dashboard.call('GET', '/scopes')).json()).toMatchObject({
      scopes: every.map((scope) => ({ scope, words: expect.any(String) })),
    });
  });

  test('is named on the consent page in the words of the document, and then opens what needs it.', async () => {
    const { app, person } = await newApplication(platform, { scopes: ['invoices:read'] });
    expect((await person.browser.open(authorizePath(app))).text).toContain('See what you have invoiced');
    const { accessToken } = await connect(platform, person.browser, app);
    expect((await authorize(accessToken, 'invoices:read')).outcome).toBe('OUTCOME_ALLOWED');
    expect((await authorize(accessToken, 'orders:read')).outcome).toBe('OUTCOME_SCOPE_DENIED');
  });

  test('is one of a secret key, and can be given to a restricted key.', async () => {
    const secret = await platform.createKey();
    expect((await authorize(secret.keyString, 'invoices:read')).principal?.scopes).toEqual(every);
    const restricted = await platform.createKey({ type: 'restricted', scopes: ['invoices:read'] });
    expect((await authorize(restricted.keyString, 'invoices:read')).outcome).toBe('OUTCOME_ALLOWED');
  });
});

describe('The passport for an upstream', () => {
  let response: Awaited<ReturnType<typeof authorize>>;
  beforeAll(async () => {
    response = await authorize((await platform.createKey()).keyString, 'invoices:read');
  });

  test('can be verified with the keys that identity-service publishes inside, for its audience alone.', async () => {
    const keys = await readKeys();
    expect([keys.status, keys.headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    const known = createLocalJWKSet(keys.json() as JSONWebKeySet);
    const token = response.upstreamPassports.invoices ?? '';
    const verify = (audience: string) => jwtVerify(token, known, { issuer: 'identity-service', audience });
    expect((await verify('invoices')).payload).toMatchObject({
      business_id: platform.businessId,
      credential_type: 'secret_key',
      scope: every.join(' '),
      exp: response.passportExpiresAtUnixMs / 1000,
    });
    await expect(verify('business-service')).rejects.toThrow('"aud"');
  });

  test('is refused by business-service, which accepts its own.', async () => {
    const { passport, upstreamPassports } = response;
    const port = platform.businesses[0]?.ports.http ?? 0;
    const use = async (token = '') =>
      (await request(port, 'GET', '/businesses/me', { headers: { 'X-Passport': token } })).status;
    expect([await use(passport), await use(upstreamPassports.invoices)]).toEqual([200, 401]);
  });

  test('names its key, which is published together with the next one, and not at the gateway.', async () => {
    const { keys } = (await readKeys()).json() as JSONWebKeySet;
    const { kid } = decodeProtectedHeader(response.passport);
    expect(keys.map((key) => key.kid)).toEqual([kid, expect.stringMatching(/^[\w-]{43}$/)]);
    expect(keys.map(({ x }) => x)[1]).toBe(next.subarray(-32).toString('base64url'));
    expect((await platform.request(0, 'GET', '/internal/passport-keys')).status).toBe(404);
  });

  test('is all that identity-service shows without the secret of the gateway.', async () => {
    const paths = ['/login', '/internal/passport-keys/', '/.well-known/oauth-authorization-server'];
    for (const path of paths) expect((await request(identityPort(), 'GET', path)).status).toBe(404);
  });
});
