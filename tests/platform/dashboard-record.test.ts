import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openDashboard } from '../harness/dashboard.ts';
import { png, sendLogo } from '../harness/logo.ts';
import { call } from '../harness/patience.ts';
import { joinBusiness, signUpVerified } from '../harness/people.ts';
import { query } from '../harness/postgres.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);

async function openOwner() {
  const person = await signUpVerified(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

type Owner = Awaited<ReturnType<typeof openOwner>>;

/** The business as the API returns it to a new key. */
async function fromApi({ businessId }: Pick<Owner, 'businessId'>) {
  const { keyString } = await platform.createKey({ businessId });
  const response = await platform.me(keyString, 1);
  return z.looseObject({ logo: z.string() }).parse(response.json());
}

const eventsOf = async ({ businessId }: Pick<Owner, 'businessId'>) => {
  const text =
    "SELECT payload FROM events WHERE business_id = $1 AND type = 'business.updated' ORDER BY sequence";
  return (await query<{ payload: object }>(platform.databases.business, text, [businessId])).map(
    ({ payload }) => payload,
  );
};

const auditOf = ({ businessId }: Pick<Owner, 'businessId'>) => {
  const text =
    "SELECT actor_id, details FROM audit_events WHERE business_id = $1 AND action = 'business.updated' ORDER BY id";
  return platform.sql(text, [businessId]);
};

const newUsername = () => `renamed-${randomBytes(4).toString('hex')}`;

describe('the record', () => {
  test('is changed by an owner, with effect on the API at once, an event and an audit event', async () => {
    const ada = await openOwner();
    const before = z.object({ username: z.string() }).parse(await fromApi(ada)).username;
    const username = newUsername();
    const body = { accountHolder: ' Difference Engines ', username: username.toUpperCase() };
    const response = await ada.own('PATCH', '', body);
    expect([response.status, response.json()]).toMatchObject([
      200,
      { record: { accountHolder: 'Difference Engines', username, usernameChangeableAt: expect.any(String) } },
    ]);
    const now = { id: ada.businessId, account_holder: 'Difference Engines', username };
    expect(await fromApi(ada)).toMatchObject(now);
    expect(await eventsOf(ada)).toMatchObject([now]);
    const details = {
      accountHolder: { from: 'Analytical Engines', to: 'Difference Engines' },
      username: { from: before, to: username },
    };
    expect(await auditOf(ada)).toEqual([{ actor_id: ada.id, details }]);
    const words = z.object({ events: z.array(z.object({ words: z.string() })) });
    const { events } = words.parse((await ada.own('GET', '/audit-events?action=business.updated')).json());
    expect(events).toEqual([{ words: 'Changed username and display name of the business' }]);

    const same = { accountHolder: 'Difference Engines' };
    expect((await ada.own('PATCH', '', same)).status).toBe(200);
    expect([await eventsOf(ada), await auditOf(ada)]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  test('has a username that can change once in 30 days, and the old one stays reserved for the business', async () => {
    const [ada, eve] = [await openOwner(), await openOwner()];
    const { username: first } = z.object({ username: z.string() }).parse(await fromApi(ada));
    const second = newUsername();
    expect((await ada.own('PATCH', '', { username: second })).status).toBe(200);
    expect(refusalOf(await ada.own('PATCH', '', { username: newUsername() }))).toEqual({
      code: 400,
      reason: 'username_locked',
      fields: ['username'],
    });
    expect((await ada.own('PATCH', '', { accountHolder: 'Difference Engines' })).status).toBe(200);

    const taken = { code: 400, reason: 'username_taken', fields: ['username'] };
    expect(refusalOf(await eve.own('PATCH', '', { username: first }))).toEqual(taken);
    expect(refusalOf(await eve.own('PATCH', '', { username: second }))).toEqual(taken);
    const draft = { accountHolder: 'Eve', username: first, logo: '' };
    await expect(platform.businessRpc.CreateBusiness(draft, call)).rejects.toMatchObject({
      reason: 'username_taken',
    });

    const text = 'UPDATE businesses SET username_changeable_at = clock_timestamp() WHERE id = $1';
    await query(platform.databases.business, text, [ada.businessId]);
    expect((await ada.own('PATCH', '', { username: first })).status).toBe(200);
    expect(await fromApi(ada)).toMatchObject({ username: first });
  });

  test('gives a username to one of several businesses that request it at once, even while it is released', async () => {
    const owners = [await openOwner(), await openOwner(), await openOwner()];
    const [first] = owners;
    const username = newUsername();
    const responses = await Promise.all(owners.map((owner) => owner.own('PATCH', '', { username })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const winner = owners[responses.findIndex(({ status }) => status === 200)] ?? first;
    const text = 'UPDATE businesses SET username_changeable_at = clock_timestamp() WHERE id = $1';
    await query(platform.databases.business, text, [winner?.businessId]);
    const others = owners.filter((owner) => owner !== winner);
    const outcomes = await Promise.all([
      winner?.own('PATCH', '', { username: newUsername() }),
      ...others.map((owner) => owner.own('PATCH', '', { username })),
    ]);
    expect(outcomes.map((outcome) => outcome?.status)).toEqual([200, 400, 400]);
  });

  test.each([
    [{}, ['']],
    [{ username: '', accountHolder: '\u202egnp.exe' }, ['accountHolder', 'username']],
  ])('refuses %j', async (body, fields) => {
    const ada = await openOwner();
    expect(refusalOf(await ada.own('PATCH', '', body))).toMatchObject({ code: 400, fields });
    expect(await eventsOf(ada)).toEqual([]);
  });

  test('is read by members, and stays as it is during a ban', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    await joinBusiness(platform, bob, ada.businessId, 'developer');
    const theirs = `/businesses/${ada.businessId}`;
    expect((await bob.call('PATCH', theirs, { accountHolder: 'Bob' })).status).toBe(403);
    await platform.businessRpc.BanBusiness({ businessId: ada.businessId }, call);
    expect(refusalOf(await ada.own('PATCH', '', { accountHolder: 'Ada' }))).toMatchObject({
      code: 409,
      reason: 'business_banned',
    });
    expect(await eventsOf(ada)).toEqual([]);
  });
});

describe('the logo', () => {
  const send = (owner: Owner, body: unknown, type?: string, businessId?: number) =>
    sendLogo(owner, body, { type, businessId });
  const fetchLogo = (url: string, headers = {}) =>
    platform.request(1, 'GET', new URL(url).pathname, { headers });
  const stored = async ({ businessId }: Owner) => {
    const text = 'SELECT digest FROM logos WHERE business_id = $1';
    return (await platform.sql(text, [businessId])).length;
  };

  test('is served as an image only, and without cookies', async () => {
    const ada = await openOwner();
    expect((await send(ada, png(8, 'taken at home'))).status).toBe(200);
    const { logo } = await fromApi(ada);
    expect(logo).toMatch(new RegExp(`^${platform.publicUrl}/logos/[0-9a-f]{64}\\.png$`));
    expect(await eventsOf(ada)).toMatchObject([{ logo }]);
    expect(await auditOf(ada)).toEqual([{ actor_id: ada.id, details: { logo: { from: '', to: logo } } }]);
    const image = await fetchLogo(logo);
    expect([image.status, image.headers]).toMatchObject([
      200,
      {
        'content-type': 'image/png',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=31536000, immutable',
      },
    ]);
    expect(image.headers).not.toHaveProperty('set-cookie');
    expect(image.text).not.toContain('taken at home');
    const again = await fetchLogo(logo, { 'If-None-Match': String(image.headers.etag) });
    expect([again.status, again.text, again.headers['cache-control']]).toEqual([
      304,
      '',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of [
      logo.replace('.png', '.jpg'),
      logo.replace(/[0-9a-f]{64}/, '0'.repeat(64)),
      `${logo}/x`,
    ]) {
      expect((await fetchLogo(path)).status).toBe(404);
    }
  });

  test('is deleted once it is replaced or removed, unless another business has the same image', async () => {
    const [ada, bob] = [await openOwner(), await openOwner()];
    const image = png(9, randomBytes(4).toString('hex'));
    await send(ada, image);
    await send(bob, image);
    const { logo: first } = await fromApi(ada);
    expect(await fromApi(bob)).toMatchObject({ logo: first });
    expect((await send(ada, png(10))).status).toBe(200);
    const { logo: second } = await fromApi(ada);
    expect([await stored(ada), await stored(bob)]).toEqual([1, 1]);
    expect((await fetchLogo(first)).status).toBe(200);
    expect((await bob.own('DELETE', '/logo')).status).toBe(200);
    expect((await fetchLogo(first)).status).toBe(404);
    expect(await fromApi(bob)).toMatchObject({ logo: '' });
    await send(ada, png(10, 'the same picture'));
    expect([(await fetchLogo(second)).status, await stored(ada)]).toEqual([200, 1]);
  });

  test('is refused unless it is a small PNG, JPEG or WebP image by its content', async () => {
    const ada = await openOwner();
    const refused = async (body: unknown, type?: string) => refusalOf(await send(ada, body, type));
    const invalid = { code: 400, reason: 'invalid_logo' };
    expect(await refused('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/png')).toMatchObject(invalid);
    expect(await refused(Buffer.concat([png(8), Buffer.from('<script>')]))).toMatchObject(invalid);
    expect(await refused(png(1_025))).toMatchObject(invalid);
    expect(await refused('')).toMatchObject(invalid);
    expect(await refused('<svg/>', 'image/svg+xml')).toMatchObject({ code: 415 });
    expect(await refused({ url: 'https://example.com/a.png' }, 'application/json')).toMatchObject({
      code: 415,
    });
    expect(await refused(Buffer.alloc(1_000_001))).toMatchObject({ code: 413 });
    expect([await fromApi(ada), await stored(ada)]).toMatchObject([{ logo: '' }, 0]);
  });

  test('is set by owners of the business alone', async () => {
    const [ada, bob, eve] = [await openOwner(), await openOwner(), await openOwner()];
    await joinBusiness(platform, bob, ada.businessId, 'developer');
    expect((await send(bob, png(8), 'image/png', ada.businessId)).status).toBe(403);
    expect((await send(eve, png(8), 'image/png', ada.businessId)).status).toBe(404);
    await platform.businessRpc.BanBusiness({ businessId: ada.businessId }, call);
    expect(refusalOf(await send(ada, png(8)))).toMatchObject({ reason: 'business_banned' });
    expect([await fromApi(ada), await stored(ada)]).toMatchObject([{ logo: '' }, 0]);
  });
});
