import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { z } from 'zod';
import type { TestKey } from '../harness/api-keys.ts';
import { request } from '../harness/http-request.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: no client acts for another business. business-service accepts a passport that it verified, and nothing else.
 */

const platform = running(sharedPlatform);
let otherBusinessId: number;
let key: TestKey;
let otherKey: TestKey;
beforeAll(async () => {
  otherBusinessId = await platform.createVerifiedBusiness('other');
  key = await platform.createKey();
  otherKey = await platform.createKey({ businessId: otherBusinessId });
});

type Json = Readonly<Record<string, unknown>>;

const now = () => Math.floor(Date.now() / 1000);
const encode = (part: Json) => Buffer.from(JSON.stringify(part)).toString('base64url');
const ed25519 = (signingKey: KeyObject) => (input: string) => sign(null, Buffer.from(input), signingKey);
const issuerKey = () =>
  createPrivateKey({
    key: Buffer.from(platform.secrets.passportPrivateKey, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });

const claims = (change: Json = {}): Json => ({
  iss: 'identity-service',
  aud: 'business-service',
  sub: 'key_of_this_test',
  iat: now(),
  exp: now() + 300,
  business_id: platform.businessId,
  credential_type: 'secret_key',
  scope: 'business:read orders:read orders:write',
  ...change,
});

/** A JWT of these parts; with the issuer's own key where nothing else is given. */
function passport(
  body: Json,
  header: Json = { alg: 'EdDSA' },
  signer: (input: string) => Uint8Array = ed25519(issuerKey()),
): string {
  const input = `${encode(header)}.${encode(body)}`;
  return `${input}.${Buffer.from(signer(input)).toString('base64url')}`;
}

const presented = (token: string | string[] | undefined, path = '/businesses/me') =>
  request(platform.businesses[0]?.ports.http ?? 0, 'GET', path, {
    headers: token === undefined ? {} : { 'X-Passport': token },
  });

const publicKeyText = () => platform.secrets.passportPublicKey;
const hmac = (secret: string | Uint8Array) => (input: string) =>
  createHmac('sha256', secret).update(input).digest();

/** Replaces the claims and keeps the signature. */
function tampered(change: Json): string {
  const [header, , signature] = passport(claims()).split('.');
  return `${header}.${encode(claims(change))}.${signature}`;
}

/** One forged token per way to forge one. */
const forgeries: Readonly<Record<string, () => string | string[] | undefined>> = {
  none: () => undefined,
  'an empty one': () => '',
  garbage: () => 'garbage',
  'three parts of garbage': () => 'a.b.c',
  'an API key': () => key.keyString,
  'one with algorithm none': () => passport(claims(), { alg: 'none' }, () => new Uint8Array()),
  'one with algorithm None': () => passport(claims(), { alg: 'None' }, () => new Uint8Array()),
  'one signed by HS256 with the text of the public key': () =>
    passport(claims(), { alg: 'HS256' }, hmac(publicKeyText())),
  'one signed by HS256 with the bytes of the public key': () =>
    passport(claims(), { alg: 'HS256' }, hmac(Buffer.from(publicKeyText(), 'base64'))),
  'one signed by HS256, said to be EdDSA': () =>
    passport(claims(), { alg: 'EdDSA' }, hmac(Buffer.from(publicKeyText(), 'base64'))),
  'one signed by another Ed25519 key': () =>
    passport(claims(), { alg: 'EdDSA' }, ed25519(generateKeyPairSync('ed25519').privateKey)),
  'one that brings its own key': () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const header = { alg: 'EdDSA', jwk: publicKey.export({ format: 'jwk' }) };
    return passport(claims(), header, ed25519(privateKey));
  },
  'one for another audience': () => passport(claims({ aud: 'identity-service' })),
  'one without an audience': () => passport(claims({ aud: undefined })),
  'one of another issuer': () => passport(claims({ iss: 'somebody' })),
  'an expired one': () => passport(claims({ iat: now() - 400, exp: now() - 100 })),
  'one without an end': () => passport(claims({ exp: undefined })),
  'one that lives for a day': () => passport(claims({ exp: now() + 86_400 })),
  'one without a business': () => passport(claims({ business_id: undefined })),
  'one with the business changed': () => tampered({ business_id: otherBusinessId }),
  'one with the scopes changed': () => tampered({ scope: 'business:read events:read' }),
  'one with a later end': () => tampered({ exp: now() + 599 }),
  'one without its signature': () => passport(claims()).replace(/[^.]+$/, ''),
  'one with another signature': () => {
    const [header, body] = passport(claims()).split('.');
    return `${header}.${body}.${passport(claims({ sub: 'x' })).split('.')[2]}`;
  },
  'two genuine ones': () => [passport(claims()), passport(claims({ business_id: otherBusinessId }))],
};

describe('in a request to business-service', () => {
  test('a genuine passport is accepted', async () => {
    const response = await presented(passport(claims()));
    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({ id: platform.businessId });
  });

  test('a passport that identity-service issued is accepted', async () => {
    const { rpc, close } = createGrpcClient(authorizationService, {
      target: platform.targets.identity,
      tls: { kind: 'plain' },
    });
    const question = { bearer: otherKey.keyString, clientIp: '192.0.2.1', requiredScope: '' };
    const issued = await rpc.Authorize(question, { deadlineMs: 30_000 });
    close();
    expect((await presented(issued.passport)).json()).toMatchObject({ id: otherBusinessId });
  });

  test.each(Object.entries(forgeries))('of passports, %s is 401', async (_, forge) => {
    const response = await presented(forge());
    expect(response.status).toBe(401);
    expect(response.json()).toEqual({ error: 'Invalid passport', status: 'Unauthorized', code: 401 });
  });

  test('a scope that the passport does not name is 403', async () => {
    const response = await presented(passport(claims({ scope: 'business:read' })), '/order');
    expect(response.status).toBe(403);
    expect(response.json()).toEqual({ status: 'Forbidden', code: 403 });
  });

  test('an API key in the Authorization header gives no access', async () => {
    const port = platform.businesses[0]?.ports.http ?? 0;
    expect((await request(port, 'GET', '/businesses/me', { key: key.keyString })).status).toBe(401);
  });
});

describe('in a request through the gateway', () => {
  const me = '/v2/businesses/me';

  test.each(['X-Passport', 'x-passport', 'X-PASSPORT'])(
    'a passport of the client in %s is ignored',
    async (name) => {
      const foreign = passport(claims({ business_id: otherBusinessId }));
      const response = await platform.request(0, 'GET', me, {
        key: key.keyString,
        headers: { [name]: foreign },
      });
      expect(response.status).toBe(200);
      expect(response.json()).toMatchObject({ id: platform.businessId });
    },
  );

  test('a passport alone gives no access', async () => {
    const genuine = passport(claims());
    const headers = { 'X-Passport': genuine };
    expect((await platform.request(0, 'GET', me, { headers })).status).toBe(401);
    expect((await platform.request(0, 'GET', me, { key: genuine })).status).toBe(401);
  });

  test('no response contains a passport', async () => {
    const response = await platform.request(0, 'GET', me, { key: key.keyString });
    // Three parts: an entity tag, which is random letters, has one.
    const token = /eyJ[\w-]*\.[\w-]+\.[\w-]+|passport/i;
    expect(passport(claims())).toMatch(token);
    expect(`${response.rawHeaders.join('\n')}\n${response.text}`).not.toMatch(token);
  });

  test("another business's order is 404, to read and to change, and is in no other list", async () => {
    const body = {
      currency: 'EUR',
      line_items: [{ name: 'Chair', quantity: 1, unit_amount: 4_900 }],
      customer: { name: 'Ada' },
    };
    const created = await platform.request(0, 'POST', '/v2/order', { key: key.keyString, body });
    expect(created.status).toBe(201);
    const { id } = z.object({ id: z.string() }).parse(created.json());
    const path = `/v2/order/${id}`;
    const notFound = { error: 'Order not found', status: 'Not Found', code: 404 };

    const stranger = { key: otherKey.keyString };
    const responses = [
      await platform.request(0, 'GET', path, stranger),
      await platform.request(0, 'PATCH', path, { ...stranger, body: { status: 'cancelled' } }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(response.json()).toEqual(notFound);
    }
    expect((await platform.request(0, 'GET', '/v2/order', stranger)).json()).toMatchObject({ data: [] });
    expect((await platform.request(0, 'GET', path, { key: key.keyString })).json()).toMatchObject({
      id,
      status: 'pending',
    });
  });
});
