import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 9: what a version promises, and how changes are announced. */

const platform = running(sharedPlatform);

const get = (path: string) => platform.request(0, 'GET', path);

test('pages link to the feed of the changelog, which has an entry for each heading', async () => {
  const page = (await get('/docs/versions')).text;
  const [, href = ''] =
    /<link rel="alternate" type="application\/atom\+xml"[^>]* href="([^"]+)"/.exec(page) ?? [];
  const feed = await get(href);
  expect([feed.status, feed.headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  const ids = [...feed.text.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id = '']) => id);
  expect(ids[0]).toBe(`${platform.publicUrl}/docs/changes.atom`);
  const headings = [...page.matchAll(/<h3 id="([^"]+)">/g)].map(
    ([, id]) => `${platform.publicUrl}/docs/versions#${id}`,
  );
  expect(ids.slice(1)).toEqual(headings);
  expect(ids.length).toBeGreaterThan(4);
  expect(new Set(ids).size).toBe(ids.length);
  expect(feed.text).not.toContain('api.example.com');
  const times = [...feed.text.matchAll(/<updated>([^<]+)<\/updated>/g)].map(([, time = '']) => time);
  for (const time of times) expect(new Date(time).toISOString()).toBe(time.replace('Z', '.000Z'));
  expect(times.slice(1)).toEqual(times.slice(1).toSorted().toReversed());
});

test('the query for emails finds the owners who used a route in the last 30 days, of businesses and of applications', async () => {
  const [ada, bob, eve] = await Promise.all([0, 1, 2].map(() => signUpVerified(platform)));
  if (ada === undefined || bob === undefined || eve === undefined) throw new Error('three people signed up');
  const key = await platform.createKey({ businessId: ada.businessId });
  const old = await platform.createKey({ businessId: eve.businessId });
  const application = await platform.createApplication({ businessId: bob.businessId });
  await connect(platform, eve.browser, application);
  const add = `INSERT INTO usage_endpoints (limit_id, hour, method, route, business_id, requests)
    VALUES ($1, date_trunc('hour', now()) - $3::interval, 'GET', '/v2/order', $2, 1)`;
  await platform.sql(add, [key.id, ada.businessId, '29 days']);
  await platform.sql(add, [old.id, eve.businessId, '31 days']);
  await platform.sql(
    add.replace('VALUES ($1,', 'SELECT id,').replace(/\)$/, ' FROM grants WHERE application_id = $1'),
    [application.id, eve.businessId, '1 hour'],
  );
  const operations = readFileSync(
    new URL('../../docs/operations/businesses-and-people.md', import.meta.url),
    'utf8',
  );
  const [, statement = ''] =
    /## Deprecate a part of the API[\s\S]*?```sql\n([\s\S]+?)```/.exec(operations) ?? [];
  const found = (await platform.sql(statement, [])).map(({ email }) => email);
  const ours = [ada.email, bob.email, eve.email];
  expect(found.filter((email) => ours.includes(String(email))).toSorted()).toEqual(
    [ada.email, bob.email].toSorted(),
  );
});
