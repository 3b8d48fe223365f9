import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { noticeTitles, settledNotices } from '../harness/notices.ts';
import { decided, findRequest } from '../harness/recorded-requests.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';

/*
 * Promise: a key with an IP whitelist works from these addresses and networks alone, on every gateway, and a key without one
 * from any; a change holds from its response on.
 */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
});

const gateways = [0, 1];
const me = (key: string, address: string, gateway = 0) =>
  platform.request(gateway, 'GET', '/v2/businesses/me', { key, headers: { 'X-Forwarded-For': address } });
/** Statuses of requests from an address, at both gateways. */
const from = (key: string, address: string) =>
  Promise.all(gateways.map(async (gateway) => (await me(key, address, gateway)).status));
const listed = (...ipWhitelist: string[]) => ({ ...restricted, ipWhitelist });
const change = (id: string, body: object, by = ada) => by.own('PATCH', `/api-keys/${id}`, body);
const shape = z.object({ ipWhitelist: z.array(z.string()) });
const whitelistOf = async (id: string) =>
  shape.parse((await ada.own('GET', `/api-keys/${id}`)).json()).ipWhitelist;
const opened = 'An API key can be used from elsewhere';

describe('a key with an IP whitelist', () => {
  test('works from its IPv4 and IPv6 addresses and networks, and is refused from any other', async () => {
    const { id, keyString } = await makeKey(
      ada,
      listed('203.0.113.77/25', '2001:DB8:7::/48', '::ffff:192.0.2.1'),
    );
    expect(await whitelistOf(id)).toEqual(['203.0.113.0/25', '2001:db8:7::/48', '192.0.2.1']);
    for (const address of ['203.0.113.127', '2001:db8:7:ffff::1', '192.0.2.1']) {
      expect([address, await from(keyString, address)]).toEqual([address, [200, 200]]);
    }
    for (const address of ['203.0.113.128', '2001:db8:8::1', '192.0.2.2']) {
      expect([address, await from(keyString, address)]).toEqual([address, [403, 403]]);
    }
    const response = await me(keyString, '192.0.2.2');
    expect(response.json()).toEqual({ status: 'Forbidden', code: 403 });
    expect(response.headers).toMatchObject({
      link: '</docs/errors#api_key_ip_not_allowed>; rel="help"',
      'www-authenticate': 'Bearer realm="API"',
    });
  });

  test('follows a narrower, a wider and an empty whitelist on every gateway at once', async () => {
    const { id, keyString } = await makeKey(ada, listed());
    expect(await from(keyString, '192.0.2.9')).toEqual([200, 200]);
    expect((await change(id, { ipWhitelist: ['192.0.2.1'] })).json()).toMatchObject({
      propagation: 'confirmed',
    });
    expect(await from(keyString, '192.0.2.9')).toEqual([403, 403]);
    expect((await change(id, { ipWhitelist: ['192.0.2.0/24'] })).status).toBe(200);
    expect([await from(keyString, '192.0.2.9'), await from(keyString, '192.0.3.9')]).toEqual([
      [200, 200],
      [403, 403],
    ]);
    expect((await change(id, { ipWhitelist: [] })).status).toBe(200);
    expect(await from(keyString, '192.0.3.9')).toEqual([200, 200]);
  });

  test.each([
    [['203.0.113.300']],
    [['shop.example']],
    [Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`)],
  ])('is refused with an error of its field for %j', async (ipWhitelist) => {
    const { id } = await makeKey(ada, listed('192.0.2.1'));
    const fields = { fields: { ipWhitelist: expect.any(String) } };
    for (const response of [
      await ada.own('POST', '/api-keys', { ...restricted, ipWhitelist }),
      await change(id, { ipWhitelist }),
    ]) {
      expect([response.status, response.json()]).toMatchObject([400, fields]);
    }
    expect(await whitelistOf(id)).toEqual(['192.0.2.1']);
  });

  test('is opened to more addresses by members who may hold it, and the owners get a notice then', async () => {
    const bob = await openColleague(platform, ada, 'developer');
    const [own, full] = [
      await makeKey(bob, { ...listed('192.0.2.0/24'), scopes: ['orders:read'] }),
      await makeKey(ada, { ...listed('192.0.2.0/24'), keyType: 'secret', scopes: [] }),
    ];
    const refused = await change(full.id, { ipWhitelist: [] }, bob);
    expect([refused.status, refusalOf(refused).reason]).toEqual([403, 'addresses_beyond_members']);
    for (const { id } of [own, full]) {
      expect((await change(id, { ipWhitelist: ['192.0.2.1'] }, bob)).status).toBe(200);
    }
    await settledNotices(platform, ada);
    expect(await noticeTitles(ada)).not.toContain(opened);
    expect((await change(own.id, { ipWhitelist: ['192.0.2.1', '198.51.100.1'] }, bob)).status).toBe(200);
    expect(await noticeTitles(ada)).toContain(opened);
  });
});

test('a refused request names the list that lacks the address, and one press adds it', async () => {
  const { id, keyString } = await makeKey(ada, listed('192.0.2.1'));
  const { headers } = await me(keyString, '203.0.113.7');
  const found = await findRequest(ada, String(headers['x-request-id']));
  expect(found).toMatchObject({
    reason: 'ip_not_allowed',
    problem: 'The address 203.0.113.7 is not on the IP whitelist of the key.',
    help: '/docs/errors#api_key_ip_not_allowed',
    remedy: { page: 'api_key', id },
    missingAddress: { kind: 'api_key', id, address: '203.0.113.7' },
  });
  expect(decided(found).failed).toEqual(['address']);
  const allow = (address: string) => ada.own('POST', `/api-keys/${id}/whitelist`, { address });
  expect((await allow('nonsense')).json()).toMatchObject({ fields: { address: expect.any(String) } });
  expect((await allow('203.0.113.7')).json()).toMatchObject({ propagation: 'confirmed' });
  expect(await from(keyString, '203.0.113.7')).toEqual([200, 200]);
  expect(await whitelistOf(id)).toEqual(['192.0.2.1', '203.0.113.7']);
  // A whitelist that was emptied since admits any address; with one entry it would refuse all others.
  await change(id, { ipWhitelist: [] });
  expect((await allow('203.0.113.8')).status).toBe(200);
  expect(await whitelistOf(id)).toEqual([]);
});

test('the addresses of the last 30 days are offered, and a whitelist that would refuse them is shown before', async () => {
  const { id, keyString } = await makeKey(ada, listed());
  for (const address of ['192.0.2.1', '192.0.2.1', '2001:db8::7']) await me(keyString, address);
  const callers = z.object({ callers: z.array(z.object({ address: z.string(), requests: z.number() })) });
  await expectEventually(
    async () =>
      expect(callers.parse((await ada.own('GET', `/api-keys/${id}/callers`)).json()).callers).toEqual([
        { address: '192.0.2.1', requests: 2 },
        { address: '2001:db8::7', requests: 1 },
      ]),
    { withinMs: 15_000 },
  );
  const check = async (...ipWhitelist: string[]) =>
    (await ada.own('POST', `/api-keys/${id}/whitelist-check`, { ipWhitelist })).json();
  expect(await check('192.0.2.0/24', 'x')).toMatchObject({
    shutOut: [{ address: '2001:db8::7' }],
    errors: { 'ipWhitelist.1': expect.any(String) },
  });
  expect(await check()).toMatchObject({ allowed: true, shutOut: [], errors: {} });
});
