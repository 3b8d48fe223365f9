import { beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { errorBodies } from '../harness/error-responses.ts';
import { untilRefused, warm } from '../harness/leaks.ts';
import { onlyNoticeMail } from '../harness/notices.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { refusedBearers, unissued } from '../harness/refused-bearers.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: a key that is sent to /v2/keys/self-revoke is deleted, and after the response no gateway accepts it. Over two
 * gateways and two identity-services.
 */

const path = '/v2/keys/self-revoke';

const platform = running(sharedPlatform);
let ada: TestPerson;
beforeAll(async () => {
  ada = await signUpVerified(platform);
});

const revoke = (key: string | undefined, gateway = 0) =>
  platform.request(gateway, 'POST', path, {
    ...(key !== undefined && { key }),
    headers: { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https' },
  });

const newKey = (type: 'secret' | 'restricted' = 'secret') =>
  platform.createKey({
    businessId: ada.businessId,
    name: 'Till',
    type,
    scopes: type === 'secret' ? [] : ['orders:read'],
  });

describe('a key that revokes itself', () => {
  test.each(['secret', 'restricted'] as const)(
    'is refused by every gateway from the response on, as an unknown key, when it is %s',
    async (type) => {
      const key = await newKey(type);
      const order = (gateway: number) =>
        platform.request(gateway, 'GET', '/v2/order', { key: key.keyString });
      expect([(await order(0)).status, (await order(1)).status]).toEqual([200, 200]);
      const response = await revoke(key.keyString, 1);
      expect([response.status, response.text, response.headers['cache-control']]).toEqual([
        200,
        '{}',
        'no-store',
      ]);
      for (const refused of [await order(0), await order(1), await revoke(key.keyString)]) {
        expect([refused.status, refused.text]).toEqual([401, errorBodies.invalidKey]);
      }
    },
  );

  test('is in the audit log and in an email to the owners, with its address', async () => {
    const owner = await signUpVerified(platform);
    const { businessId } = owner;
    const key = await platform.createKey({ businessId, name: 'Till' });
    await revoke(key.keyString);
    const events = await platform.sql(
      'SELECT action, actor_kind, client_ip, details FROM audit_events WHERE subject_id = $1 ORDER BY id DESC LIMIT 1',
      [key.id],
    );
    const lastFour = key.keyString.slice(-4);
    const details = { name: 'Till', lastFour, cause: 'self' };
    expect(events).toEqual([
      { action: 'api_key.deleted', actor_kind: 'system', client_ip: '192.0.2.7', details },
    ]);
    const log = await owner.browser.send('GET', `/dashboard-api/businesses/${businessId}/audit-events`);
    expect(log.text).toContain('Deleted the API key “Till”, which revoked itself');
    const { text } = await onlyNoticeMail(platform, owner, 'An API key revoked itself');
    expect(text).toContain(
      `The API key “Till” (…${lastFour}) was deleted by a request that was sent with the key itself from 192.0.2.7`,
    );
  });

  test('succeeds once of many requests at a time', async () => {
    const { keyString } = await newKey();
    const sent = await Promise.all(Array.from({ length: 8 }, (_, index) => revoke(keyString, index % 2)));
    const counts = [200, 401].map((status) => sent.filter((response) => response.status === status).length);
    expect(counts).toEqual([1, 7]);
  });

  test('is deleted while its business is frozen, while it is frozen, and beyond its limit', async () => {
    const { businessId } = await signUpVerified(platform);
    const [inFrozen, frozen, spent] = [
      await platform.createKey({ businessId }),
      await newKey(),
      await newKey(),
    ];
    const freeze = "INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, '', '')";
    await platform.sql(freeze, [businessId]);
    await platform.sql("UPDATE api_keys SET frozen_at = now(), freeze_reason = '' WHERE id = $1", [
      frozen.id,
    ]);
    await platform.setKeyLimit(spent, 1);
    await platform.me(spent.keyString);
    for (const [{ keyString }, refusal] of [
      [inFrozen, 403],
      [frozen, 403],
      [spent, 429],
    ] as const) {
      expect([(await platform.me(keyString)).status, (await revoke(keyString)).status]).toEqual([
        refusal,
        200,
      ]);
    }
  });
});

test('an access token is refused with 403 and a link to the reason, and works on', async () => {
  const application = await platform.createApplication({ businessId: platform.businessId });
  const { accessToken } = await connect(platform, ada.browser, application);
  const response = await revoke(accessToken);
  expect([response.status, response.text, response.headers.link]).toEqual([
    403,
    errorBodies.forbidden,
    '</docs/errors#api_key_required>; rel="help"',
  ]);
  expect((await platform.me(accessToken)).status).toBe(200);
});

test('other bearers get the 401 that every request with them gets, and end nothing', async () => {
  const { rotatedTo, deleted, rotated, expired, wrongChecksum, wrongTag, unknownSecret } =
    await refusedBearers(platform);
  const unknown = [
    deleted,
    rotated,
    wrongChecksum,
    wrongTag,
    unknownSecret,
    createCheckedToken('rt'),
    'nonsense',
  ];
  for (const bearer of [...unknown, unissued(platform, 'rk'), expired, undefined]) {
    const [own, usual] = [
      await revoke(bearer),
      await platform.request(0, 'GET', '/v2/order', bearer === undefined ? {} : { key: bearer }),
    ];
    const shown = ({ status, text, headers }: typeof own) => [
      status,
      text,
      headers['www-authenticate'],
      headers.link,
    ];
    expect([bearer, ...shown(own)]).toEqual([bearer, ...shown(usual)]);
  }
  expect((await platform.me(rotatedTo)).status).toBe(200);
  const kept = await platform.sql('SELECT 1 FROM api_keys WHERE business_id = $1 AND expires_at < now()', [
    platform.businessId,
  ]);
  expect(kept).toHaveLength(1);
});

test('while gateways cannot confirm, the response is 503, and the key is deleted all the same', async () => {
  const key = await newKey();
  await warm(platform, key);
  platform.redis?.freeze();
  const response = await revoke(key.keyString);
  expect([response.status, response.headers['retry-after']]).toEqual([503, '2']);
  platform.redis?.thaw();
  expect((await revoke(key.keyString)).status).toBe(401);
  await untilRefused(platform, key, 401);
});
