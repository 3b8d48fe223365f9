import { beforeEach, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { eventsOf } from '../harness/audit-events.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { lookedAt, report, statuses, untilRefused, warm } from '../harness/leaks.ts';
import { noticeMails, noticesOf, onlyNoticeMail, settledNotices } from '../harness/notices.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { running } from '../harness/running.ts';
import { databaseRows } from '../harness/secret-scan.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openOwner } from '../harness/team.ts';

/*
 * Promise: a key that was found is reported without an account; the policy of its business is applied on every gateway, its owners
 * are informed once a day, and no response tells whether a string is a key. Over two gateways and two identity-services.
 */

const url = 'https://example.org/shop/config.js?v=2';
const titles = {
  notify: 'Replace this API key: it has leaked',
  freeze: 'A leaked API key was frozen',
  delete: 'A leaked API key was deleted',
  secret: 'Rotate this client secret: it has leaked',
};

const platform = running(sharedPlatform);
let ada: DashboardPerson;
beforeEach(async () => {
  ada = await openOwner(platform);
});

const newKey = (name = 'Till') => platform.createKey({ businessId: ada.businessId, name });
const choose = (policy: string) => ada.own('PUT', '/leak-policy', { policy });

/** Sends some reports, each with a string that may be a credential, and waits until all of them were looked at. */
async function handled(reports: number, send: () => Promise<unknown>): Promise<void> {
  const before = await lookedAt(platform);
  await send();
  await expectEventually(async () => expect(await lookedAt(platform)).toBe(before + reports), {
    withinMs: 10_000,
  });
}

describe('a key that is reported', () => {
  test.each([
    { policy: 'notify', status: 200, acts: [], done: 'nothing was changed', now: 'Rotate it' },
    {
      policy: 'freeze',
      status: 403,
      acts: ['api_key.frozen'],
      done: 'It was frozen at once',
      now: 'then lift the freeze',
    },
    {
      policy: 'delete',
      status: 401,
      acts: ['api_key.deleted'],
      done: 'It was deleted at once',
      now: 'Create another key',
    },
  ] as const)(
    'is handled by the policy $policy on every gateway, and its owners get an email with the place and advice',
    async ({ policy, status, acts, done, now }) => {
      expect((await choose(policy)).json()).toEqual({ policy });
      const key = await newKey();
      await warm(platform, key);
      const response = await report(platform, ['nonsense', key.keyString], { url, source: 'Night watch' });
      expect([response.status, response.text]).toEqual([202, '{}']);
      const { text } = await onlyNoticeMail(platform, ada, titles[policy]);
      expect(text).toContain(`The API key “Till” (…${key.keyString.slice(-4)}) was found at`);
      expect(text).toContain(
        'https[:]//example[.]org/shop/config[.]js?v=2 and reported as leaked by “Night watch”.',
      );
      expect(text).toContain(done);
      expect(text).toContain(now);
      await untilRefused(platform, key, status);
      expect((await eventsOf(platform, key.id)).slice(1)).toEqual(
        ['api_key.leaked', ...acts].map((action) => ({
          action,
          actor_kind: 'system',
          actor_id: 'leak-report',
        })),
      );
      expect((await ada.own('GET', '/audit-events?action=api_key.*')).json()).toMatchObject({
        events: [{ action: 'api_key.leaked' }, { action: 'api_key.created' }],
      });
      expect((await noticesOf(ada)).notices[0]?.title).toBe(titles[policy]);
      await settledNotices(platform, ada);
      expect(noticeMails(platform, ada, 'An API key was frozen')).toEqual([]);
    },
  );

  test('causes one email a day, over all gateways, urls and repetitions', async () => {
    const key = await newKey();
    await handled(6, async () => {
      for (let turn = 0; turn < 6; turn++) {
        await report(platform, [key.keyString, key.keyString], { url: `${url}&turn=${turn % 3}` }, turn % 2);
      }
    });
    await settledNotices(platform, ada);
    const mails = noticeMails(platform, ada, titles.notify);
    expect(mails.filter(({ text }) => text.includes('“Till”'))).toHaveLength(1);
    const day =
      "UPDATE throttle_counts SET window_start = window_start - interval '1 day' WHERE key LIKE 'leak:credential:%'";
    await platform.sql(day);
    await handled(1, () => report(platform, [key.keyString], { url }));
    expect(await eventsOf(platform, key.id)).toHaveLength(3);
  });

  test('is frozen again when its freeze was lifted and another report comes', async () => {
    await choose('freeze');
    const key = await newKey();
    await report(platform, [key.keyString]);
    await untilRefused(platform, key, 403);
    expect((await ada.own('DELETE', `/api-keys/${key.id}/freeze`)).status).toBe(200);
    expect(await statuses(platform, key)).toEqual([200, 200]);
    await report(platform, [key.keyString], {}, 1);
    await untilRefused(platform, key, 403);
  });

  test('stays as it is when its string was rotated before, or has expired', async () => {
    await choose('delete');
    const [rotated, expired] = [await newKey(), await newKey()];
    const { keyString } = await platform.rotateKey(rotated);
    await platform.sql("UPDATE api_keys SET expires_at = now() - interval '5 minutes' WHERE id = $1", [
      expired.id,
    ]);
    await handled(1, () => report(platform, [rotated.keyString, expired.keyString]));
    expect(await statuses(platform, { ...rotated, keyString })).toEqual([200, 200]);
    expect((await eventsOf(platform, expired.id)).map(({ action }) => action)).toEqual(['api_key.created']);
  });

  test('is stored in no place, even if the url and the source contain it', async () => {
    const key = await newKey();
    const more = { url: `https://example.org/search?q=${key.keyString}`, source: `found ${key.keyString}` };
    await report(platform, [key.keyString], more);
    const { text } = await onlyNoticeMail(platform, ada, titles.notify);
    expect(text).toContain('was reported as leaked. It still works');
    const rows = await databaseRows(platform.databases.identity);
    expect(rows.filter(({ text: row }) => row.includes(key.keyString))).toEqual([]);
  });
});

describe('other credentials', () => {
  test('an access token is revoked alone, a refresh token with its connection, on every gateway', async () => {
    const application = await platform.createApplication({ businessId: platform.businessId });
    const person = await signUpVerified(platform);
    const tokens = await connect(platform, person.browser, application);
    const token = { id: '', businessId: person.businessId, keyString: tokens.accessToken };
    await warm(platform, token);
    await report(platform, [tokens.accessToken]);
    await untilRefused(platform, token, 401);
    const renewed = tokensOf(await oauthClient(platform, application).refresh(tokens.refreshToken));
    const next = { ...token, keyString: renewed.accessToken };
    await warm(platform, next);
    await report(platform, [renewed.refreshToken], {}, 1);
    await untilRefused(platform, next, 401);
    const { text } = await onlyNoticeMail(platform, person, 'An app was disconnected');
    expect(text).toContain('was disconnected, because its refresh token has leaked.');
  });

  test('of a client secret the owners of its application are informed once a day, and it works on', async () => {
    const grace = await signUpVerified(platform);
    const { businessId } = grace;
    const application = await platform.createApplication({ businessId, name: 'Parcel Post' });
    const { clientSecret } = application;
    await handled(2, () => Promise.all([0, 1].map((at) => report(platform, [clientSecret], { url }, at))));
    const { text } = await onlyNoticeMail(platform, grace, titles.secret);
    expect(text).toContain(`(…${clientSecret.slice(-4)}) of the app “Parcel Post” was found at`);
    expect(await eventsOf(platform, application.id)).toHaveLength(2);
  });
});

describe('the response tells nothing:', () => {
  test('it is the same, with the same headers, for a key and for strings that were never issued', async () => {
    const key = await newKey();
    const shown = async (text: string) => {
      const { status, text: body, headers } = await report(platform, [text]);
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      return { status, body, rest };
    };
    const real = await shown(key.keyString);
    for (const text of [unissued(platform, 'sk'), createCheckedToken('rk'), 'nonsense']) {
      expect(await shown(text)).toEqual(real);
    }
  });

  test('100,000 strings that were never issued cost no look-up', async () => {
    const key = await newKey();
    const before = await lookedAt(platform);
    const prefixes = ['sk', 'rk', 'at', 'zz'];
    for (let sent = 0; sent < 100; sent++) {
      const strings = Array.from({ length: 1_000 }, (_, at) => createCheckedToken(prefixes[at % 4] ?? ''));
      expect((await report(platform, strings, {}, sent % 2)).status).toBe(202);
    }
    // With a key: had one of the others been looked at, it would have been before these.
    await handled(4, () => Promise.all([0, 1, 0, 1].map((at) => report(platform, [key.keyString], {}, at))));
    expect(await lookedAt(platform)).toBe(before + 4);
  });
});

describe('a report is refused with 400, and nothing in it is handled,', () => {
  const strings = ['x'];
  test.each<[string, unknown, string]>([
    ['without strings', {}, 'strings: is required'],
    ['with no string', { strings: [] }, 'strings: must not be empty'],
    ['with something else than strings', { strings: ['x', 7] }, 'strings[1]: must be text'],
    ['with one string in place of a list', { strings: 'x' }, 'strings: must be a list'],
    [
      'with a string of 1,001 characters',
      { strings: ['x'.repeat(1_001)] },
      'strings[0]: must have at most 1000 characters',
    ],
    [
      'with a url that is none',
      { strings, url: 'javascript:alert(1)' },
      'url: must be an http:// or https:// URL',
    ],
    ['with a source of two lines', { strings, source: 'a\nb' }, 'source: must be one line'],
    ['with an unknown field', { strings, owner: 1 }, 'unknown field "owner"'],
    ['that is a list', strings, 'must be an object'],
  ])('%s', async (_, body, error) => {
    const response = await platform.request(0, 'POST', '/v2/leaks', { body });
    expect([response.status, response.json()]).toEqual([400, { error, status: 'Bad Request', code: 400 }]);
  });

  test('with 1,001 strings', async () => {
    const key = await newKey();
    const response = await report(platform, [key.keyString, ...Array.from({ length: 1_000 }, () => 'x')]);
    expect([response.status, response.json()]).toMatchObject([
      400,
      { error: 'strings: must have at most 1000 entries' },
    ]);
    await handled(1, async () => report(platform, [(await newKey('Other')).keyString]));
    expect(await eventsOf(platform, key.id)).toHaveLength(1);
  });

  test('and with 413 beyond 256 kB, 415 for another type, and 405 for another method', async () => {
    const large = await report(
      platform,
      Array.from({ length: 1_000 }, () => 'x'.repeat(300)),
    );
    const form = await platform.request(0, 'POST', '/v2/leaks', {
      body: 'strings=x',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    const read = await platform.request(0, 'GET', '/v2/leaks');
    expect([large.status, form.status, read.status, read.headers.allow]).toEqual([413, 415, 405, 'POST']);
  });
});

test('owners choose the policy, and each of them gets a notice of it; others only read it', async () => {
  expect((await ada.own('GET', '/leak-policy')).json()).toEqual({ policy: 'notify' });
  expect((await choose('delete')).status).toBe(200);
  expect((await choose('delete')).status).toBe(200);
  expect((await choose('burn')).status).toBe(400);
  const { text } = await onlyNoticeMail(platform, ada, 'The policy for leaked API keys was changed');
  expect(text).toContain(
    'From now on, leaked API keys are deleted, and the owners are informed. This was changed by',
  );
  const events = await eventsOf(platform, String(ada.businessId));
  expect(events.filter(({ action }) => action === 'business.leak_policy_set')).toHaveLength(1);
  const dashboard = await openDashboard(ada, ada.browser);
  expect((await dashboard.own('GET', '/leak-policy')).json()).toEqual({ policy: 'delete' });
});
