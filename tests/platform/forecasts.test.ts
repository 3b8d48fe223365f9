import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Dashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey } from '../harness/made-key.ts';
import { connect } from '../harness/oauth.ts';
import { newApplication, newOwner } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { type DashboardPerson, openColleague, openOwner } from '../harness/team.ts';
import { callFrom } from '../harness/usage.ts';

/* Promise: the forecast of a change is what happens: the requests that it names are refused when they are sent again. */

const platform = running(sharedPlatform);
let ada: DashboardPerson;
beforeAll(async () => {
  ada = await openOwner(platform);
});

interface Place {
  readonly method: string;
  readonly path: string;
  readonly address: string;
}

const at = (address: string, method: string, path: string, times: number): Place[] =>
  Array.from({ length: times }, () => ({ method, path, address }));

/** 60 calls; the same ones follow each other, so that the place of the first one beyond a limit is certain. */
const calls = [
  ...at('192.0.2.1', 'GET', '/v2/order', 20),
  ...at('192.0.2.1', 'POST', '/v2/order', 5),
  ...at('198.51.100.7', 'GET', '/v2/businesses/me', 15),
  ...at('198.51.100.8', 'GET', '/v2/order', 10),
  ...at('2001:db8::7', 'GET', '/v2/nowhere', 4),
  ...at('2001:db8::7', 'GET', '/v2/rate-limit', 3),
  ...at('2001:db8::7', 'GET', '/v2/businesses/me', 3),
];

const forecastResponse = z.object({
  requests: z.number(),
  undecided: z.number(),
  missedMinutes: z.number(),
  since: z.string(),
  refused: z.number(),
  reasons: z.array(z.object({ reason: z.string(), requests: z.number() })),
  addresses: z.array(z.object({ address: z.string(), requests: z.number() })),
  endpoints: z.array(z.object({ method: z.string(), route: z.string().nullable(), requests: z.number() })),
});

type Counts = Readonly<Record<string, number>>;

const countsOf = (names: readonly string[]): Counts =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

/** Sends the calls in their order; those that a check of the credential refuses. */
async function sendAll(bearer: string, sent: readonly Place[] = calls): Promise<Place[]> {
  const refused: Place[] = [];
  for (const place of sent) {
    const status = await callFrom(platform, bearer, place.path, place.address, place.method);
    if ([401, 403, 429].includes(status)) refused.push(place);
  }
  return refused;
}

const endpointOf = ({ method, path }: Place) => `${method} ${path === '/v2/nowhere' ? null : path}`;

/** A forecast, once all calls are on record. @param requests that the forecast has to consider */
async function forecastOf(by: Dashboard, path: string, change: object, requests: number) {
  return expectEventually(
    async () => {
      const response = await by.own('POST', `${path}/forecast`, change);
      expect(response.status).toBe(200);
      const found = forecastResponse.parse(response.json());
      expect(found).toMatchObject({ requests, undecided: 0 });
      return found;
    },
    { withinMs: 20_000, everyMs: 300 },
  );
}

/** The result of a forecast in the form of `happened`. */
function shown({ refused, addresses, endpoints }: z.output<typeof forecastResponse>) {
  return {
    refused,
    addresses: Object.fromEntries(addresses.map(({ address, requests }) => [address, requests])),
    endpoints: Object.fromEntries(
      endpoints.map(({ method, route, requests }) => [`${method} ${route}`, requests]),
    ),
  };
}

const happened = (refused: readonly Place[]) => ({
  refused: refused.length,
  addresses: countsOf(refused.map(({ address }) => address)),
  endpoints: countsOf(refused.map(endpointOf)),
});

const broad = {
  name: 'Till',
  description: '',
  keyType: 'restricted',
  scopes: ['business:read', 'orders:read', 'orders:write'],
};

describe('the forecast of a key is what happens when the requests are sent again after', () => {
  test.each<[string, object, (path: string) => Promise<{ readonly status: number }>, string, number]>([
    [
      'a permission was removed',
      { scopes: ['orders:read'] },
      (path) => ada.own('PATCH', path, { scopes: ['orders:read'] }),
      'insufficient_scope',
      23,
    ],
    [
      'addresses were chosen',
      { ipWhitelist: ['198.51.100.0/29', '192.0.2.1'] },
      (path) => ada.own('PATCH', path, { ipWhitelist: ['198.51.100.0/29', '192.0.2.1'] }),
      'ip_not_allowed',
      20,
    ],
    ['it was frozen', { frozen: true }, (path) => ada.own('PUT', `${path}/freeze`, {}), 'key_frozen', 60],
    ['it was deleted', { deleted: true }, (path) => ada.own('DELETE', path), 'unknown', 60],
  ])('%s', async (_, change, apply, reason, refused) => {
    const key = await makeKey(ada, broad);
    const path = `/api-keys/${key.id}`;
    expect(await sendAll(key.keyString)).toEqual([]);
    const forecast = await forecastOf(ada, path, change, calls.length);
    expect((await apply(path)).status).toBe(200);
    expect(shown(forecast)).toEqual(happened(await sendAll(key.keyString)));
    expect(forecast.reasons).toEqual([{ reason, requests: refused }]);
  });

  test('its limit was lowered, sent with a key that has used nothing of it', async () => {
    const [key, fresh] = [await makeKey(ada, broad), await makeKey(ada, broad)];
    await sendAll(key.keyString);
    const forecast = await forecastOf(ada, `/api-keys/${key.id}/limit`, { limit: 45 }, calls.length);
    expect((await ada.own('PUT', `/api-keys/${fresh.id}/limit`, { limit: 45 })).status).toBe(200);
    expect(shown(forecast)).toEqual(happened(await sendAll(fresh.keyString)));
    expect(forecast.refused).toBe(12);
  });
});

test('requests that today’s settings refuse are no effect of a change', async () => {
  const key = await makeKey(ada, { ...broad, scopes: ['orders:read', 'business:read'] });
  const path = `/api-keys/${key.id}`;
  const refused = await sendAll(key.keyString);
  expect(refused).toHaveLength(5);
  await ada.own('PATCH', path, { ipWhitelist: ['192.0.2.1', '198.51.100.7'] });
  const forecast = await forecastOf(ada, path, { deleted: true }, 35);
  expect(forecast.reasons).toEqual([{ reason: 'unknown', requests: 35 }]);
});

describe('the forecast of an app and of its connection is what happens after', () => {
  test('a change of its whitelist, a suspension, and the end of the connection', async () => {
    const { person: bob, dashboard: business } = await newOwner(platform);
    const ipWhitelist = ['127.0.0.1', '192.0.2.1', '198.51.100.0/24', '2001:db8::/32'];
    const { dashboard: owner, app } = await newApplication(platform, { scopes: broad.scopes, ipWhitelist });
    const { accessToken } = await connect(platform, bob.browser, app);
    expect(await sendAll(accessToken)).toEqual([]);
    const path = `/applications/${app.id}`;
    const narrow = { ipWhitelist: ['127.0.0.1', '198.51.100.7'], scopes: ['orders:read', 'business:read'] };
    const suspended = await forecastOf(owner, path, { suspended: true }, calls.length);
    const forecast = await forecastOf(owner, path, narrow, calls.length);
    expect((await owner.own('PATCH', path, narrow)).status).toBe(200);
    expect(shown(forecast)).toEqual(happened(await sendAll(accessToken)));

    expect(shown(suspended)).toEqual(happened(calls));
    const grants = z.object({ connections: z.array(z.object({ id: z.string() })) });
    const [grant] = grants.parse((await business.own('GET', '/connections')).json()).connections;
    const connection = `/connections/${grant?.id}`;
    // By today's whitelist, both times.
    const left = 2 * (calls.length - forecast.refused);
    const ended = await forecastOf(business, connection, { change: 'disconnect' }, left);
    expect((await business.own('DELETE', connection)).status).toBe(200);
    expect([ended.refused, (await sendAll(accessToken)).length]).toEqual([left, calls.length]);
  });
});

test('the forecast of a freeze of the business is what happens to its keys and connections after it', async () => {
  const { person, dashboard: owner } = await newOwner(platform);
  const ipWhitelist = ['127.0.0.1', '192.0.2.1', '198.51.100.7'];
  const { app } = await newApplication(platform, { scopes: broad.scopes, ipWhitelist });
  const { accessToken } = await connect(platform, person.browser, app);
  const { keyString } = await makeKey(owner, broad);
  const sent = calls.slice(0, 40);
  for (const bearer of [keyString, accessToken]) expect(await sendAll(bearer, sent)).toEqual([]);
  const forecast = await forecastOf(owner, '/freeze', {}, 2 * sent.length);
  expect((await owner.own('PUT', '/freeze', {})).status).toBe(200);
  const refused = [...(await sendAll(keyString, sent)), ...(await sendAll(accessToken, sent))];
  expect(shown(forecast)).toEqual(happened(refused));
  expect(forecast.reasons).toEqual([{ reason: 'business_frozen', requests: 2 * sent.length }]);
});

test('a forecast needs the role of the change', async () => {
  const bob = await openColleague(platform, ada, 'developer');
  const eve = await openColleague(platform, ada, 'viewer');
  const key = await makeKey(ada, broad);
  const statuses = async (by: Dashboard) => [
    (await by.own('POST', `/api-keys/${key.id}/forecast`, { frozen: true })).status,
    (await by.own('POST', `/api-keys/${key.id}/limit/forecast`, { limit: 5 })).status,
    (await by.own('POST', '/freeze/forecast', {})).status,
  ];
  expect([await statuses(ada), await statuses(bob), await statuses(eve)]).toEqual([
    [200, 200, 200],
    [200, 403, 403],
    [403, 403, 403],
  ]);
});
