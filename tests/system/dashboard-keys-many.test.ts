import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { makeKey } from '../harness/made-key.ts';
import { addManyKeys } from '../harness/many-keys.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Lists of many keys. */

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

  test('is searched as a whole, for the text as it is', async () => {
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

  test('says of filtered keys, too, that they are not all', async () => {
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
  ])('has no %s=%s', async (field, value) => {
    expect(refusalOf(await own('GET', `/api-keys?${field}=${value}`))).toMatchObject({
      code: 400,
      fields: [field],
    });
  });
});
