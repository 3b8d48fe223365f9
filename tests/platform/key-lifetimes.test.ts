import { beforeEach, expect, test } from '@jest/globals';
import { eventsOf } from '../harness/audit-events.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { onlyNoticeMail } from '../harness/notices.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';

/* Promise: a new key that breaks the rule of its business is refused, for owners, developers and operators alike. */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
let bob: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
  bob = await openColleague(platform, ada, 'developer');
});

const set = async (body: object, by = ada) => (await by.own('PUT', '/key-lifetime', body)).status;
const rule = async (by = bob) => (await by.own('GET', '/key-lifetime')).json();
const endIn = (days: number) => new Date(Date.now() + days * 86_400_000);
/** Status of a creation, with the error of its end if there is one. */
const create = async (by: DashboardPerson, days?: number) => {
  const expiresAt = days === undefined ? null : endIn(days).toISOString();
  const response = await by.own('POST', '/api-keys', { ...restricted, scopes: ['orders:read'], expiresAt });
  const { fields } = Object(response.json());
  return fields === undefined ? response.status : `${response.status} ${fields.expiresAt}`;
};
const unmet = async (query: string) => (await bob.own('GET', `/key-lifetime/unmet?${query}`)).json();
const required = '400 the business requires an expiration of every new key';

test('until an owner chooses, keys may last without an end', async () => {
  expect(await rule()).toEqual({ rule: 'off', maxDays: null });
  expect([await create(ada), await create(bob), await create(bob, 4_000)]).toEqual([201, 201, 201]);
});

test('a rule for the end of keys holds from the next request on, for owners and developers, until it is lifted', async () => {
  expect(await set({ rule: 'any_end' })).toBe(200);
  expect(await rule()).toEqual({ rule: 'any_end', maxDays: null });
  for (const person of [ada, bob]) {
    expect([await create(person), await create(person, 4_000)]).toEqual([required, 201]);
  }
  expect(await set({ rule: 'at_most', maxDays: 90 })).toBe(200);
  const tooLate = '400 the business allows new keys to last at most 90 days';
  for (const person of [ada, bob]) {
    expect([await create(person, 90), await create(person, 91)]).toEqual([201, tooLate]);
  }
  expect(await set({ rule: 'off' })).toBe(200);
  expect([await create(ada), await create(bob)]).toEqual([201, 201]);
});

test('operators are bound to the rule of the business, too', async () => {
  await set({ rule: 'at_most', maxDays: 30 });
  const { businessId } = ada;
  await expect(platform.createKey({ businessId })).rejects.toMatchObject({ reason: 'expiration_required' });
  await expect(platform.createKey({ businessId, expiresAt: endIn(31) })).rejects.toMatchObject({
    reason: 'expiration_too_late',
  });
  const { keyString } = await platform.createKey({ businessId, expiresAt: endIn(30) });
  expect((await platform.me(keyString)).status).toBe(200);
});

test('existing keys that do not meet a rule are counted, and keep working, also when they are rotated', async () => {
  const endless = await makeKey(bob, restricted);
  await makeKey(bob, { ...restricted, expiresAt: endIn(60) });
  const { id } = await makeKey(bob, { ...restricted, expiresAt: endIn(400) });
  const gone = await makeKey(bob, { ...restricted, expiresAt: endIn(400) });
  const expired = 'UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = $1';
  await platform.sql(expired, [gone.id]);
  expect(await unmet('rule=off')).toEqual({ keys: 0 });
  expect(await unmet('rule=any_end')).toEqual({ keys: 1 });
  expect(await unmet('rule=at_most&maxDays=60')).toEqual({ keys: 2 });
  expect(await unmet('rule=at_most&maxDays=59')).toEqual({ keys: 3 });
  await set({ rule: 'at_most', maxDays: 1 });
  expect((await platform.me(endless.keyString)).status).toBe(200);
  expect((await ada.own('POST', `/api-keys/${id}/rotate`)).status).toBe(200);
});

test('a rule has 1 to 3,650 days where it has a limit, and only owners choose it', async () => {
  for (const body of [
    { rule: 'at_most' },
    { rule: 'at_most', maxDays: 0 },
    { rule: 'at_most', maxDays: 3_651 },
    { rule: 'at_most', maxDays: 1.5 },
    { rule: 'any_end', maxDays: 7 },
    { rule: 'sometimes' },
  ]) {
    expect([body, await set(body)]).toEqual([body, 400]);
  }
  expect([await set({ rule: 'any_end' }, bob), await rule()]).toEqual([403, { rule: 'off', maxDays: null }]);
  expect(await set({ rule: 'at_most', maxDays: 3_650 })).toBe(200);
});

test('a change is recorded once with the owner, and the owners get a notice', async () => {
  const mary = await openColleague(platform, ada, 'owner');
  expect([await set({ rule: 'any_end' }), await set({ rule: 'any_end' })]).toEqual([200, 200]);
  const { text } = await onlyNoticeMail(platform, mary, 'The lifetime of API keys was changed');
  expect(text).toContain(`was changed by ${ada.name}`);
  const events = await eventsOf(platform, String(ada.businessId));
  expect(events.filter(({ action }) => action === 'business.key_lifetime_set')).toEqual([
    { action: 'business.key_lifetime_set', actor_kind: 'person', actor_id: ada.id },
  ]);
});
