import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { joinBusiness, signUp } from '../harness/people.ts';
import { refusalOf } from '../harness/refusals.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';

/** A person creates a second business. */

const platform = running(sharedPlatform);

const newUsername = () => `second-${randomBytes(4).toString('hex')}`;

const createdId = z.strictObject({ businessId: z.string() });

const create = (
  { call }: Pick<DashboardPerson, 'call'>,
  username: string,
  accountHolder = 'Second Engines',
) => call('POST', '/businesses', { accountHolder, username });

const sessionBusinesses = z.looseObject({ businesses: z.array(z.looseObject({ id: z.string() })) });

const businessesOf = async ({ call }: Pick<DashboardPerson, 'call'>) =>
  sessionBusinesses.parse((await call('GET', '/session')).json()).businesses;

const unfinished = ({ id }: { readonly id: string }) =>
  platform.sql('SELECT username FROM new_businesses WHERE person_id = $1', [id]);

test('another business has an owner, no verification and its own keys, and does not change the first one', async () => {
  const ada = await openOwner(platform);
  const eve = await openOwner(platform);
  const username = newUsername();
  const response = await create(ada, ` ${username.toUpperCase()} `, ' Second Engines ');
  expect(response.status).toBe(201);
  const { businessId: id } = createdId.parse(response.json());
  expect(await businessesOf(ada)).toMatchObject([
    { id: String(ada.businessId), role: 'owner' },
    { id, name: 'Second Engines', username, role: 'owner', verification: 'unverified' },
  ]);
  const { keyString } = await platform.createKey({ businessId: Number(id) });
  const me = await platform.me(keyString, 1);
  expect(me.json()).toMatchObject({ id: Number(id), username });
  const events = (await ada.call('GET', `/businesses/${id}/audit-events`)).text;
  expect(events).toContain('"business.created"');
  expect((await ada.own('GET', '/audit-events')).text).not.toContain('business.created');
  expect((await eve.call('GET', `/businesses/${id}`)).status).toBe(404);
  expect(await unfinished(ada)).toEqual([]);
});

describe('another business is refused', () => {
  test('with a taken username or an invalid name, with errors by field and nothing stored', async () => {
    const ada = await openOwner(platform);
    const [own] = await businessesOf(ada);
    const taken = await create(ada, String(own?.username));
    expect(refusalOf(taken)).toMatchObject({ code: 400, fields: ['username'] });
    const unreadable = await create(ada, '-', 'Sec\u200bond');
    expect(refusalOf(unreadable)).toMatchObject({
      code: 400,
      fields: ['accountHolder', 'username'],
    });
    for (const body of [{}, { accountHolder: 'x' }, { accountHolder: 'x', username: 1 }, []]) {
      expect((await ada.call('POST', '/businesses', body)).status).toBe(400);
    }
    expect([await unfinished(ada), await businessesOf(ada)]).toEqual([[], [own]]);
  });

  test('while business-service is down, and then created once', async () => {
    const ada = await openOwner(platform);
    const username = newUsername();
    const [business] = platform.businesses;
    await business?.stop();
    expect((await create(ada, username)).status).toBe(503);
    await business?.start();
    await expectEventually(async () => expect((await create(ada, username)).status).toBe(201), {
      withinMs: 5_000,
    });
    expect(await businessesOf(ada)).toHaveLength(2);
    await untilBusinessIsBack(platform);
  });
});

test('a repeated creation finds the business of an interrupted attempt', async () => {
  const ada = await openOwner(platform);
  const username = newUsername();
  // As after a crash between the two databases.
  const insert = 'INSERT INTO new_businesses (person_id, username, creation_key) VALUES ($1, $2, $3)';
  await platform.sql(insert, [ada.id, username, `crash:${username}`]);
  const draft = { accountHolder: 'Second Engines', username, logo: '', creationKey: `crash:${username}` };
  const { business } = await platform.businessRpc.CreateBusiness(draft, { deadlineMs: 30_000 });
  const response = await create(ada, username);
  expect(createdId.parse(response.json())).toEqual({ businessId: String(business?.id) });
  expect(await businessesOf(ada)).toHaveLength(2);
});

test('concurrent repetitions of a creation create one business', async () => {
  const ada = await signUp(platform);
  const [first, second] = await Promise.all([ada, ada].map(({ browser }) => openDashboard(ada, browser)));
  if (first === undefined || second === undefined) throw new Error('expected two dashboards');
  const username = newUsername();
  const responses = await Promise.all([first, second, first, second].map((each) => create(each, username)));
  const created = responses.filter(({ status }) => status === 201).map(({ text }) => text);
  expect(new Set(created).size).toBe(1);
  // One that begins after the first has ended is a new attempt.
  for (const { status } of responses) expect([201, 400]).toContain(status);
  expect(await businessesOf(first)).toHaveLength(2);
});

test('the dashboard lists each of very many businesses, the latest with their names', async () => {
  const ada = await openOwner(platform);
  await platform.sql(
    `INSERT INTO memberships (person_id, business_id, role)
     SELECT $1, 900000000 + n, 'developer' FROM generate_series(1, 60) AS n`,
    [ada.id],
  );
  const username = newUsername();
  const { businessId: id } = createdId.parse((await create(ada, username)).json());
  const businesses = await businessesOf(ada);
  expect(businesses).toHaveLength(62);
  expect(businesses.at(-1)).toMatchObject({ id, username });
});

test('a repeated creation does not return a business to a person who has left it', async () => {
  const ada = await openOwner(platform);
  const username = newUsername();
  const { businessId } = createdId.parse((await create(ada, username)).json());
  const id = Number(businessId);
  const eve = await openColleague(platform, { businessId: id }, 'owner');
  expect((await eve.own('DELETE', `/team/members/${ada.id}`, {})).status).toBe(200);
  expect(refusalOf(await create(ada, username))).toMatchObject({ code: 400 });
  expect((await ada.call('GET', `/businesses/${businessId}`)).status).toBe(404);
  await joinBusiness(platform, ada, id, 'developer');
  expect(refusalOf(await create(ada, username))).toMatchObject({ code: 400 });
  expect((await businessesOf(ada)).at(-1)).toMatchObject({ id: businessId, role: 'developer' });
});
