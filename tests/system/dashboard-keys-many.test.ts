import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { makeKey } from '../harness/made-key.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { joinBusiness, signUp, type TestPerson } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Lists of many keys, and the deletion of several. */

const platform = running(sharedPlatform);

describe('a list of 1,003 keys', () => {
  let owner: TestPerson;
  let own: Dashboard['own'];
  beforeAll(async () => {
    owner = await signUp(platform);
    ({ own } = await openDashboard(owner, owner.browser));
    const id = await addManyKeys(platform, owner.businessId, 1_003);
    const change = (n: number, set: string) =>
      platform.sql(`UPDATE api_keys SET ${set} WHERE id = $1`, [id(n)]);
    await change(1, "key_type = 'restricted', scopes = '{orders:read}'");
    await change(2, "expires_at = now() + interval '335 hours'");
    await change(3, "expires_at = now() - interval '1 second'");
    await change(4, "expires_at = now() + interval '337 hours'");
    await change(5, "last_used_at = now() - interval '1 hour'");
    await change(6, "last_used_at = now() - interval '1 minute'");
  });

  const find = async (query: Readonly<Record<string, string>>) => {
    const { status, json } = await own('GET', `/api-keys?${new URLSearchParams(query)}`);
    expect(status).toBe(200);
    const { complete, apiKeys } = z
      .object({ complete: z.boolean(), apiKeys: z.array(z.object({ name: z.string() })) })
      .parse(json());
    return { complete, names: apiKeys.map(({ name }) => name.replace('key ', '')) };
  };
  const ends = ({ names }: { readonly names: readonly string[] }) => [names[0], names.length, names.at(-1)];

  test('has the 1,000 newest, and says that there are more', async () => {
    const list = await find({});
    expect([list.complete, ...ends(list)]).toEqual([false, '1003', 1_000, '4']);
  });

  test('is searched as a whole, for the literal text', async () => {
    const found = await find({ search: ' KEY 1 ' });
    expect([found.complete, ...ends(found)]).toEqual([true, '1003', 115, '1']);
    expect(await find({ search: 'ABCD' })).toMatchObject({ complete: false, names: { length: 1_000 } });
    const stranger = await signUp(platform);
    const { lastFour } = await makeKey(await openDashboard(stranger, stranger.browser));
    for (const search of ['%', 'key_1', lastFour]) {
      expect(await find({ search })).toEqual({ complete: true, names: [] });
    }
  });

  test.each([
    ['type', { keyType: 'restricted' }, ['1']],
    ['keys that expire within 14 days of 24 hours', { status: 'soon' }, ['2']],
    ['expired keys', { status: 'expired' }, ['3']],
    ['a text, a type and a status', { search: 'key 2', keyType: 'secret', status: 'soon' }, ['2']],
    ['a text and a type without match', { search: 'key 2', keyType: 'restricted' }, []],
  ])('is filtered as a whole by %s', async (_, query, names) => {
    expect(await find(query)).toEqual({ complete: true, names });
  });

  test('says when filtered keys are not all', async () => {
    const { complete, names } = await find({ status: 'active' });
    expect([complete, names.length, names.includes('3')]).toEqual([false, 1_000, false]);
  });

  test.each([
    ['name', ['1', '10', '100', '1000']],
    ['last_used', ['6', '5', '1003', '1002']],
    ['expiry', ['3', '2', '4', '1003']],
    ['newest', ['1003', '1002', '1001', '1000']],
  ])('is sorted as a whole by %s', async (sort, first) => {
    const { complete, names } = await find({ sort });
    expect([complete, names.slice(0, 4)]).toEqual([false, first]);
  });

  test.each([
    ['keyType', 'public'],
    ['status', 'gone'],
    ['sort', 'size'],
  ])('refuses %s=%s', async (field, value) => {
    expect(refusalOf(await own('GET', `/api-keys?${field}=${value}`))).toMatchObject({
      code: 400,
      fields: [field],
    });
  });
});

describe('the deletion of several keys', () => {
  let ada: TestPerson;
  let dashboard: Dashboard;
  let developer: Dashboard;
  let stranger: Dashboard;
  beforeAll(async () => {
    const people = await Promise.all([signUp(platform), signUp(platform), signUp(platform)]);
    [ada] = people;
    await joinBusiness(platform, people[1], ada.businessId, 'developer');
    dashboard = await openDashboard(ada, ada.browser);
    developer = await openDashboard(ada, people[1].browser);
    stranger = await openDashboard(people[2], people[2].browser);
  });

  const remove = (apiKeyIds: unknown, by = dashboard) => by.own('DELETE', '/api-keys', { apiKeyIds });
  /** Statuses of requests with keys, on each gateway. */
  const use = (keyStrings: readonly string[]) =>
    Promise.all(
      platform.gatewayPorts.map((_, gateway) =>
        Promise.all(
          keyStrings.map(async (key) => {
            const response = await platform.request(gateway, 'GET', '/v2/businesses/me', { key });
            return response.status;
          }),
        ),
      ),
    );
  const generation = async () => {
    const text = 'SELECT generation::int AS n FROM credential_generations WHERE business_id = $1';
    return (await platform.sql<{ n: number }>(text, [ada.businessId]))[0]?.n ?? 0;
  };

  test('ends each of them on every gateway at once, in one round, with an event of its own', async () => {
    // Once more where Redis needs longer than the second that it has, on a busy machine.
    await expectEventually(
      async () => {
        const keys = [await makeKey(dashboard), await makeKey(developer), await makeKey(dashboard)];
        const [one, two, kept] = keys.map(({ id }) => id);
        const strings = keys.map(({ keyString }) => keyString);
        expect(await use(strings)).toEqual([
          [200, 200, 200],
          [200, 200, 200],
        ]);
        const before = await generation();
        const response = await remove([one, two]);
        expect([response.status, response.json()]).toEqual([
          200,
          { deletedIds: expect.arrayContaining([one, two]), propagation: 'confirmed' },
        ]);
        expect(await use(strings)).toEqual([
          [401, 401, 200],
          [401, 401, 200],
        ]);
        expect(await generation()).toBe(before + 1);
        for (const id of [one, two]) {
          expect((await eventsOf(platform, id ?? '')).at(-1)).toEqual({
            action: 'api_key.deleted',
            actor_kind: 'person',
            actor_id: ada.id,
          });
        }
        expect(await eventsOf(platform, kept ?? '')).toHaveLength(1);
      },
      { withinMs: 10_000 },
    );
  });

  test('is for developers, too', async () => {
    const { id } = await makeKey(dashboard);
    expect((await remove([id], developer)).json()).toMatchObject({ deletedIds: [id] });
  });

  test('skips keys of another business and deleted ones, and deletes a repeated one once', async () => {
    const [mine, gone] = [await makeKey(dashboard), await makeKey(dashboard)];
    const theirs = await makeKey(stranger);
    expect((await dashboard.own('DELETE', `/api-keys/${gone.id}`)).status).toBe(200);
    const response = await remove([gone.id, theirs.id, mine.id, 'key_none', mine.id]);
    expect([response.status, response.json()]).toMatchObject([200, { deletedIds: [mine.id] }]);
    expect(await eventsOf(platform, mine.id)).toHaveLength(2);
    expect(await eventsOf(platform, gone.id)).toHaveLength(2);
    expect(await eventsOf(platform, theirs.id)).toHaveLength(1);
    expect((await stranger.own('GET', `/api-keys/${theirs.id}`)).status).toBe(200);
    expect((await remove([mine.id, gone.id])).json()).toMatchObject({ deletedIds: [] });
  });

  test('is refused to people of another business', async () => {
    const { id } = await makeKey(dashboard);
    const path = `/businesses/${ada.businessId}/api-keys`;
    expect((await stranger.call('DELETE', path, { apiKeyIds: [id] })).status).toBe(404);
    expect((await remove([id], stranger)).json()).toMatchObject({ deletedIds: [] });
    expect((await dashboard.own('GET', `/api-keys/${id}`)).status).toBe(200);
  });

  test('accepts up to a hundred keys', async () => {
    const owner = await signUp(platform);
    const their = await openDashboard(owner, owner.browser);
    const id = await addManyKeys(platform, owner.businessId, 101);
    const ids = Array.from({ length: 101 }, (_, n) => id(n + 1));
    expect(refusalOf(await remove(ids, their))).toMatchObject({ code: 400, fields: ['apiKeyIds'] });
    expect((await remove(ids.slice(1), their)).json()).toMatchObject({ deletedIds: { length: 100 } });
    const left = await platform.sql('SELECT id FROM api_keys WHERE business_id = $1', [owner.businessId]);
    expect(left).toEqual([{ id: id(1) }]);
    const events = 'SELECT 1 FROM audit_events WHERE business_id = $1 AND action = $2';
    expect(await platform.sql(events, [owner.businessId, 'api_key.deleted'])).toHaveLength(100);
  });

  test.each<[string, unknown, string]>([
    ['no list', 'key_1', 'apiKeyIds'],
    ['nothing', undefined, 'apiKeyIds'],
    ['null', null, 'apiKeyIds'],
    ['no keys', [], 'apiKeyIds'],
    ['101 times one key', Array.from({ length: 101 }, () => 'key_1'), 'apiKeyIds'],
    ['a number', ['key_1', 7], 'apiKeyIds.1'],
    ['a list in the list', [['key_1']], 'apiKeyIds.0'],
    ['what is no identifier', ["key_1' OR '1'='1"], 'apiKeyIds.0'],
  ])('of %s is refused at its field', async (_, apiKeyIds, field) => {
    expect(refusalOf(await remove(apiKeyIds))).toEqual({
      code: 400,
      reason: 'invalid_input',
      fields: [field],
    });
  });

  test('that fails deletes none of them', async () => {
    const [one, two] = [await makeKey(dashboard), await makeKey(dashboard)];
    const mend = await failWrites(platform.databases.identity, 'credential_generations', '53100');
    try {
      expect((await remove([one.id, two.id])).status).toBeGreaterThanOrEqual(500);
    } finally {
      await mend();
    }
    for (const { id } of [one, two]) expect(await eventsOf(platform, id)).toHaveLength(1);
    expect(await use([one.keyString, two.keyString])).toEqual([
      [200, 200],
      [200, 200],
    ]);
  });
});
