import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { addManyKeys } from '../harness/many-keys.ts';
import { makeOperator, type TestOperator } from '../harness/operators.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { throttleWindows } from '../harness/throttle-windows.ts';

/* Operators find what they look up in the console by every text that people send them, and it is recorded. */

const platform = running(sharedPlatform);
let ada: TestOperator;
beforeAll(async () => {
  ada = await makeOperator(platform);
});
const windows = throttleWindows(() => platform);

const logEntry = z.looseObject({ action: z.string(), details: z.string(), operator: z.string() });

/** The newest entry of the log of operators. */
async function latest() {
  const { entries } = z.object({ entries: z.array(logEntry) }).parse((await ada.call('GET', '/log')).json());
  return entries.find(({ operator }) => operator === ada.email);
}

describe('a search finds the business', () => {
  let owner: TestPerson;
  let texts: Record<string, string>;
  let keyString: string;
  beforeAll(async () => {
    owner = await signUp(platform, { businessName: `Zwölf Räder ${Date.now()}` });
    const number = `HRB ${owner.businessId}77`;
    const facts = { legalName: 'Zwölf', registrationNumber: number, country: 'DE' };
    const { businessId } = owner;
    await platform.businessRpc.SubmitVerification({ businessId, ...facts }, { deadlineMs: 30_000 });
    await platform.businessRpc.ApproveVerification({ businessId }, { deadlineMs: 30_000 });
    const app = await platform.createApplication({ businessId });
    const key = await platform.createKey({ businessId });
    ({ keyString } = key);
    const requestId = randomUUID();
    const insert = `INSERT INTO request_log
        (id, at, business_id, method, path, route, status, client_ip, duration_ms, response_bytes, user_agent)
      VALUES ($1, clock_timestamp(), $2, 'GET', '/v2/order', '/v2/order', 404, '192.0.2.1', 5, 40, '')`;
    await platform.sql(insert, [requestId, businessId]);
    const [row] = await query<{ username: string }>(
      platform.databases.business,
      'SELECT username FROM businesses WHERE id = $1',
      [businessId],
    );
    texts = {
      name: 'Zwölf Räder',
      username: row?.username ?? '',
      'registration number': number,
      'email address': owner.email.toUpperCase(),
      'last four of a key': keyString.slice(-4),
      'key as pages show it': `sk_…${keyString.slice(-4)}`,
      'client ID': app.clientId,
      'request ID': requestId,
    };
  });

  test.each([
    ['name'],
    ['username'],
    ['registration number'],
    ['email address'],
    ['last four of a key'],
    ['key as pages show it'],
    ['client ID'],
    ['request ID'],
  ])('by its %s, and logs the search', async (kind) => {
    const text = texts[kind] ?? '';
    const response = await ada.call('GET', `/search?${new URLSearchParams({ text })}`);
    expect([response.status, response.text]).toEqual([
      200,
      expect.stringContaining(`"id":${owner.businessId},`),
    ]);
    const entry = await latest();
    expect(entry).toMatchObject({ action: 'console.searched', operator: ada.email });
    expect(JSON.parse(entry?.details ?? '')).toMatchObject({ text });
  });

  test('but not by a whole key, which is never logged, not even in a reason', async () => {
    for (const text of [keyString, `who has ${keyString}?`]) {
      const response = await ada.call('GET', `/search?${new URLSearchParams({ text })}`);
      expect(refusalOf(response)).toMatchObject({ code: 400 });
      const ban = await ada.call('POST', `/businesses/${owner.businessId}/ban`, { reason: text });
      expect(refusalOf(ban)).toMatchObject({ code: 400 });
    }
    expect((await ada.call('GET', '/log')).text).not.toContain(keyString);
  });

  test('and its page shows everything except secrets', async () => {
    const response = await ada.call('GET', `/businesses/${owner.businessId}`);
    expect([response.status, response.json()]).toMatchObject([
      200,
      {
        business: { id: owner.businessId, verification: 'verified', isBanned: false },
        people: [{ email: owner.email, role: 'owner' }],
        applications: [{ clientId: texts['client ID'], suspensions: [] }],
        freeze: null,
      },
    ]);
    const keys = await ada.call('GET', `/businesses/${owner.businessId}/api-keys`);
    const key = { lastFour: keyString.slice(-4), status: 'active' };
    expect([keys.status, keys.json()]).toMatchObject([200, { apiKeys: [key], complete: true }]);
    for (const { text } of [response, keys]) {
      expect(text).not.toMatch(/hash|argon2|totp|token/i);
      expect(text).not.toContain(keyString);
    }
    const events = await ada.call('GET', `/businesses/${owner.businessId}/audit-events`);
    expect([events.status, events.text]).toEqual([200, expect.stringContaining('Signed up')]);
    expect(await latest()).toMatchObject({
      action: 'audit_log.viewed',
      operator: ada.email,
      businessId: owner.businessId,
    });
  });
});

describe('the keys of a business', () => {
  test('are listed newest first, and older ones are found by a logged search', async () => {
    const { businessId } = await signUp(platform);
    await addManyKeys(platform, businessId, 1_003);
    const find = async (search: string) => {
      const query = search === '' ? '' : `?${new URLSearchParams({ search })}`;
      const { json } = await ada.call('GET', `/businesses/${businessId}/api-keys${query}`);
      return z
        .object({ complete: z.boolean(), apiKeys: z.array(z.object({ name: z.string() })) })
        .parse(json());
    };
    const newest = await find('');
    expect([newest.complete, newest.apiKeys.length, newest.apiKeys[0]]).toEqual([
      false,
      1_000,
      { name: 'key 1003' },
    ]);
    expect(await latest()).toMatchObject({ words: 'Read the API keys', businessId });
    const found = await find('KEY 2');
    expect([found.complete, found.apiKeys.at(-1)]).toEqual([true, { name: 'key 2' }]);
    expect(await latest()).toMatchObject({ words: 'Searched the API keys for “KEY 2”', facts: [] });
  });

  test('cannot be searched by a whole key, which is never logged', async () => {
    const { businessId } = await signUp(platform);
    const { keyString } = await platform.createKey({ businessId });
    const response = await ada.call('GET', `/businesses/${businessId}/api-keys?search=${keyString}`);
    expect(refusalOf(response)).toMatchObject({ code: 400, fields: ['search'] });
    expect((await ada.call('GET', '/log')).text).not.toContain(keyString);
  });
});

test(
  'reading an audit log or keys is throttled like viewing a business',
  windows.inOne(async () => {
    const { businessId } = await signUp(platform);
    const paths = ['audit-events', 'api-keys'].map((list) => `/businesses/${businessId}/${list}`);
    for (const path of paths) expect((await ada.call('GET', path)).status).toBe(200);
    const used = "UPDATE throttle_counts SET count = 1000000000 WHERE key LIKE 'operator-view:%'";
    await platform.sql(used);
    for (const path of paths) expect((await ada.call('GET', path)).status).toBe(429);
    await windows.pass();
  }),
);
