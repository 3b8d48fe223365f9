import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { makeKey, restricted, withString } from '../harness/made-key.ts';
import { noticeMails, noticesOf, onlyNoticeMail, settledNotices } from '../harness/notices.ts';
import { decided, findRequest } from '../harness/recorded-requests.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';

/* Promise: a frozen key is refused at every gateway from the response on, and nothing else is, until the freeze is lifted. */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
let bob: DashboardPerson;
let key: Awaited<ReturnType<typeof makeKey>>;
beforeEach(async () => {
  ada = await openOwner(platform);
  bob = await openColleague(platform, ada, 'developer');
  key = await makeKey(bob, restricted);
});

const gateways = [0, 1];
const statuses = (keyString: string) =>
  Promise.all(gateways.map(async (gateway) => (await platform.me(keyString, gateway)).status));
const path = (id = key.id) => `/api-keys/${id}`;
const freeze = (by: DashboardPerson, reason = 'seen in a log') =>
  by.own('PUT', `${path()}/freeze`, { reason });
const lift = (by: DashboardPerson) => by.own('DELETE', `${path()}/freeze`);
const frozenBy = (person: DashboardPerson, reason = 'seen in a log') => ({
  frozenAt: expect.any(String),
  reason,
  frozenBy: { personId: person.id, name: person.name },
});
const shown = z.object({ freeze: z.unknown() });
const freezeOf = async () => shown.parse((await ada.own('GET', path())).json()).freeze;

describe('the freeze of a key', () => {
  test('refuses its requests on every gateway at once, and those of no other key, until it is lifted', async () => {
    const other = await makeKey(bob, restricted);
    expect([await statuses(key.keyString), await statuses(other.keyString)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect((await freeze(bob)).json()).toMatchObject({
      apiKey: { id: key.id, status: 'active', freeze: frozenBy(bob) },
      propagation: 'confirmed',
    });
    const frozen = z.object({ apiKeys: z.array(z.object({ id: z.string() })) });
    expect(frozen.parse((await ada.own('GET', '/api-keys?status=frozen')).json()).apiKeys).toMatchObject([
      { id: key.id },
    ]);
    for (const gateway of gateways) {
      const response = await platform.me(key.keyString, gateway);
      expect([response.status, response.json()]).toEqual([403, { status: 'Forbidden', code: 403 }]);
      expect(response.headers).toMatchObject({
        link: '</docs/errors#key_frozen>; rel="help"',
        'www-authenticate': 'Bearer realm="API"',
      });
    }
    expect(await statuses(other.keyString)).toEqual([200, 200]);
    expect((await lift(ada)).json()).toMatchObject({ apiKey: { freeze: null }, propagation: 'confirmed' });
    expect(await statuses(key.keyString)).toEqual([200, 200]);
  });

  test('counts refused requests in the rolling hour', async () => {
    const left = async () => Number((await platform.me(key.keyString)).headers['x-ratelimit-remaining']);
    const before = await left();
    await freeze(ada);
    expect([await left(), await left()]).toEqual([before - 1, before - 2]);
  });

  test('stays through a rotation, and through other scopes and another limit', async () => {
    await freeze(ada);
    const rotated = withString.parse((await ada.own('POST', `${path()}/rotate`)).json());
    expect((await ada.own('PATCH', path(), { scopes: ['orders:read'] })).status).toBe(200);
    expect((await ada.own('PUT', `${path()}/limit`, { limit: 50 })).status).toBe(200);
    expect(await statuses(rotated.keyString)).toEqual([403, 403]);
    expect(await statuses(key.keyString)).toEqual([401, 401]);
    expect(await freezeOf()).toMatchObject({ frozenBy: { personId: ada.id } });
  });

  test('keeps the first person and reason when it is repeated, and is recorded once, as is its end', async () => {
    await freeze(bob, ' first ');
    expect((await freeze(ada, 'second')).json()).toMatchObject({ propagation: 'confirmed' });
    expect(await freezeOf()).toEqual(frozenBy(bob, 'first'));
    expect([(await lift(bob)).status, (await lift(ada)).status]).toEqual([200, 200]);
    const act = { actor_kind: 'person', actor_id: bob.id };
    expect(await eventsOf(platform, key.id)).toEqual([
      { action: 'api_key.created', ...act },
      { action: 'api_key.frozen', ...act },
      { action: 'api_key.unfrozen', ...act },
    ]);
  });

  test('is not lifted by a developer who may not create such a key', async () => {
    await freeze(bob);
    expect((await ada.own('PATCH', '/member-key-rules', { removedScopes: ['orders:read'] })).status).toBe(
      200,
    );
    expect((await lift(bob)).status).toBe(403);
    expect(await statuses(key.keyString)).toEqual([403, 403]);
    expect((await lift(ada)).status).toBe(200);
  });

  test('is refused for viewers, as is its end, and with a reason of two lines', async () => {
    const vera = await openColleague(platform, ada, 'viewer');
    expect([(await freeze(vera)).status, (await lift(vera)).status]).toEqual([403, 403]);
    const twoLines = await freeze(ada, 'two\nlines');
    expect([twoLines.status, twoLines.json()]).toMatchObject([
      400,
      { fields: { reason: expect.any(String) } },
    ]);
    expect(await freezeOf()).toBeNull();
  });

  test('sends one notice to each owner, and to no one else, with who did it and why', async () => {
    const mary = await openColleague(platform, ada, 'owner');
    await freeze(bob);
    await onlyNoticeMail(platform, ada, 'An API key was frozen');
    const { text } = await onlyNoticeMail(platform, mary, 'An API key was frozen');
    expect(text).toContain(
      `The API key “Shop” (…${key.lastFour}) was frozen by ${bob.name}: its requests are refused until the freeze is lifted. Other keys and apps work. Reason: “seen in a log”.`,
    );
    expect((await noticesOf(mary)).notices[0]).toMatchObject({
      title: 'An API key was frozen',
      path: expect.stringContaining(key.id),
    });
    await settledNotices(platform, bob);
    expect(noticeMails(platform, bob, 'An API key was frozen')).toEqual([]);
  });

  test('is the explanation of a refused request, and its remedy the page of the key', async () => {
    await freeze(ada);
    const { headers } = await platform.me(key.keyString);
    const found = await findRequest(ada, String(headers['x-request-id']));
    expect(found).toMatchObject({
      reason: 'key_frozen',
      title: 'The key is frozen',
      explanation: { help: '/docs/errors#key_frozen' },
      remedy: { page: 'api_key', id: key.id },
    });
    expect(decided(found)).toEqual({
      failed: ['suspended'],
      open: ['address', 'scope', 'route', 'upstream'],
    });
  });
});
