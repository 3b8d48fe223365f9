import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { orderBody, signPassport, startBusinessPlatform } from '../harness/business-platform.ts';
import { running } from '../harness/running.ts';

const platform = running(startBusinessPlatform);
let orderPath: string;
beforeAll(async () => {
  orderPath = String((await platform.call('POST', '/order', { body: orderBody })).headers.location);
});

describe('access to business-service', () => {
  const routes: readonly [string, () => string, string, unknown?][] = [
    ['GET', () => '/businesses/me', 'business:read'],
    ['GET', () => '/order', 'orders:read'],
    ['POST', () => '/order', 'orders:write', orderBody],
    ['GET', () => orderPath, 'orders:read'],
    ['PATCH', () => orderPath, 'orders:write', { metadata: { seen: 'yes' } }],
  ];
  const scopes = ['business:read', 'events:read', 'orders:read', 'orders:write'];

  test('each route asks for one scope, and no other opens it', async () => {
    for (const [method, path, needed, body] of routes) {
      for (const scope of ['', ...scopes]) {
        const passport = await signPassport(platform.businessId, { scope });
        const response = await platform.call(method, path(), { passport, body });
        const outcome = [method, path(), scope, response.status < 300 ? 'in' : response.text];
        const forbidden = '{"status":"Forbidden","code":403}';
        expect(outcome).toEqual([method, path(), scope, scope === needed ? 'in' : forbidden]);
      }
    }
  });

  test('a banned business reads its own record and nothing else', async () => {
    const businessId = await platform.businesses.createVerifiedBusiness('banned');
    const passport = await signPassport(businessId);
    await platform.businesses.banBusiness(businessId);
    for (const [method, path, , body] of routes.slice(1)) {
      const response = await platform.call(method, path(), { passport, body });
      expect([method, response.text]).toEqual([method, '{"status":"Forbidden","code":403}']);
    }
    const me = await platform.call('GET', '/businesses/me', { passport });
    expect(me.json()).toMatchObject({ id: businessId, is_banned: true });
    await platform.businesses.unbanBusiness(businessId);
    expect((await platform.call('GET', '/order', { passport })).status).toBe(200);
  });

  const now = Math.floor(Date.now() / 1000);
  test.each([
    ['no passport', async () => ''],
    ['nonsense', async () => 'nonsense'],
    ['an expired passport', () => signPassport(1, { iat: now - 600, exp: now - 300 })],
    ['a passport for another service', () => signPassport(1, { aud: 'gateway' })],
    ['a passport of another issuer', () => signPassport(1, { iss: 'gateway' })],
    ['a passport for an hour', () => signPassport(1, { exp: now + 3_600 })],
    ['a stranger’s signature', () => signPassport(1, {}, generateKeyPairSync('ed25519').privateKey)],
  ])('with %s every route is 401', async (_, make) => {
    const passport = await make();
    for (const [method, path, , body] of routes) {
      const response = await platform.call(method, path(), { passport, body });
      expect(response.status).toBe(401);
      expect(response.text).toBe('{"error":"Invalid passport","status":"Unauthorized","code":401}');
    }
  });

  test('a request with two passports is refused', async () => {
    const passport = await signPassport(platform.businessId);
    const headers = { 'X-Passport': [passport, passport] };
    expect((await platform.call('GET', '/businesses/me', { headers })).status).toBe(401);
  });
});
