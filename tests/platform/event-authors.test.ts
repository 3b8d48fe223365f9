import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { orderBody } from '../harness/business-platform.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { makeKey } from '../harness/made-key.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/* The dashboard names who made the change that an event is about: a key, an app or a person. */

const platform = running(sharedPlatform);

async function openOwner() {
  const person = await signUpVerified(platform);
  return { ...person, ...(await openDashboard(person, person.browser)) };
}

const page = z.object({ data: z.array(z.object({ id: z.string(), type: z.string() })) });

/** Identifiers of the events of a type, in their order. */
async function eventsOf(businessId: number, type: string): Promise<string[]> {
  const { keyString: key } = await platform.createKey({ businessId });
  const { data } = page.parse((await platform.request(0, 'GET', `/v2/events?types=${type}`, { key })).json());
  return data.map(({ id }) => id);
}

const authorOf = async (by: Pick<Dashboard, 'own'>, id = '') =>
  (await by.own('GET', `/events/${id}/author`)).json();

test('the people of a business see which key, app or person made a change', async () => {
  const owner = await openOwner();
  const key = await makeKey(owner, { name: 'Till', keyType: 'restricted', scopes: ['orders:write'] });
  const application = await platform.createApplication({
    businessId: platform.businessId,
    scopes: ['orders:write'],
  });
  const { accessToken } = await connect(platform, owner.browser, application, { scope: 'orders:write' });
  for (const bearer of [key.keyString, accessToken]) {
    const { status } = await platform.request(0, 'POST', '/v2/order', { key: bearer, body: orderBody });
    expect(status).toBe(201);
  }
  expect((await owner.own('PATCH', '', { accountHolder: 'Difference Engines' })).status).toBe(200);
  const [byKey, byApp] = await eventsOf(owner.businessId, 'order.created');
  expect(await authorOf(owner, byKey)).toMatchObject({
    caller: { kind: 'api_key', id: key.id, name: 'Till' },
    person: null,
  });
  expect(await authorOf(owner, byApp)).toMatchObject({
    caller: { kind: 'application', id: application.id },
    person: null,
  });
  const [byPerson] = await eventsOf(owner.businessId, 'business.updated');
  expect(await authorOf(owner, byPerson)).toEqual({
    caller: null,
    person: { id: owner.id, name: expect.any(String) },
  });
  const [byOperator] = await eventsOf(owner.businessId, 'business.verified');
  expect(await authorOf(owner, byOperator)).toEqual({ caller: null, person: null });
});

test('the author of a change is shown to the people of its business alone', async () => {
  const [owner, stranger] = [await openOwner(), await openOwner()];
  const [id] = await eventsOf(owner.businessId, 'business.verified');
  const path = `/businesses/${owner.businessId}/events/${id}/author`;
  expect((await stranger.call('GET', path)).status).toBe(404);
  expect((await stranger.own('GET', `/events/${id}/author`)).status).toBe(404);
  expect((await owner.own('GET', '/events/evt_short/author')).status).toBe(404);
});
