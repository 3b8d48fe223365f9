import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { type FeedEvent, feedPage, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { metricIn, metricOf, metricsOf } from '../harness/metrics.ts';
import { authorizeApplication, connect, oauthClient, type Tokens, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import type { TestService } from '../harness/service.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, ownerOf, type Webhooks } from '../harness/webhooks.ts';

/* Events that identity-service makes, on their way into the feed and to receivers: connections, and expirations of keys. */

const types = ['application.connected', 'application.disconnected'] as const;
const scopes = ['business:read', 'events:read', 'orders:read'];

let platform: Platform;
let webhooks: Webhooks;
let owner: TestPerson;
let ownerKey: string;
/** Endpoint of the business itself. */
let own: WebhookReceiver;
beforeAll(async () => {
  platform = await startPlatform({ webhooks: 1, identities: 2 });
  webhooks = connectWebhooks(platform);
  owner = await signUpVerified(platform);
  ({ keyString: ownerKey } = await platform.createKey({ businessId: owner.businessId }));
  own = await startWebhookReceiver();
  await webhooks.createEndpoint({ businessId: owner.businessId, applicationId: '' }, own.url);
});
afterAll(async () => {
  webhooks.close();
  await own.close();
  await platform.close();
});

const events = (key: string, parameters = '') =>
  platform.request(0, 'GET', `/v2/events?${parameters}`, { key });
const feedOf = async (key: string, parameters = '') =>
  (await readFeed((asked) => events(key, asked), `limit=100${parameters}`)).events;
const aboutApplication = (list: readonly FeedEvent[], { id }: TestApplication) =>
  list.filter(({ data }) => (data.application as { id?: string } | undefined)?.id === id);

/** An application of another business with webhooks on, and its endpoint. */
async function newApplication(chosen: readonly string[] = types) {
  const businessId = await platform.createVerifiedBusiness('publisher');
  const application = await platform.createApplication({ businessId, scopes });
  await webhooks.enable(application, chosen);
  const receiver = await startWebhookReceiver();
  const { secret } = await webhooks.createEndpoint(ownerOf(application), receiver.url);
  return { application, receiver, secret, client: oauthClient(platform, application) };
}

const connected = (application: TestApplication) => connect(platform, owner.browser, application);
async function disconnect({ id }: TestApplication): Promise<void> {
  const grants = await platform.listGrants(owner.businessId);
  const grantId = grants.find(({ applicationId }) => applicationId === id)?.id ?? '';
  await platform.disconnectGrant(owner.businessId, grantId);
}
const remove = (application: TestApplication) => platform.deleteApplication(application);

type Subject = Awaited<ReturnType<typeof newApplication>>;

describe('a connection', () => {
  const ends: Readonly<Record<string, (subject: Subject, tokens: Tokens) => Promise<unknown>>> = {
    disconnected: ({ application }) => disconnect(application),
    revoked: ({ client }, { refreshToken }) => client.revoke(refreshToken),
    refresh_reuse: ({ client }, { refreshToken }) => client.reuse(refreshToken),
    code_reuse: async ({ client, application }) => {
      const { code, verifier } = await authorizeApplication(owner.browser, application);
      tokensOf(await client.exchange(code, verifier));
      await client.exchange(code, verifier);
    },
  };

  test.each(Object.keys(ends))(
    'that is %s sends its application an event of its beginning and its end',
    async (reason) => {
      const subject = await newApplication();
      const { application, receiver, secret } = subject;
      const tokens = await connected(application);
      await awaitReceived(receiver, 1);
      await ends[reason]?.(subject, tokens);
      await awaitReceived(receiver, 2);
      const [first, last] = receiver.received.map(({ event }) => event as unknown as FeedEvent);
      const { id, clientId: client_id } = application;
      const data = { id: first?.data.id, application: { id, client_id, name: 'Shop' }, scopes };
      expect(first).toMatchObject({
        type: 'application.connected',
        previous: 0,
        data: { ...data, connected_at: expect.any(String), disconnected_at: null, reason: null },
      });
      expect(last).toMatchObject({
        type: 'application.disconnected',
        business: first?.business,
        previous: first?.sequence,
        data: {
          ...data,
          connected_at: first?.data.connected_at,
          disconnected_at: expect.any(String),
          reason,
        },
      });
      for (const webhook of receiver.received) verified(secret, webhook);
      await receiver.close();
    },
  );

  test('that ends with its application sends an event to the business only', async () => {
    const { application, receiver } = await newApplication(['application.disconnected']);
    await connected(application);
    await remove(application);
    await expectEventually(
      () => {
        // Both may be in flight at once.
        const events = own.received
          .map(({ event }) => event as unknown as FeedEvent)
          .sort((a, b) => a.sequence - b.sequence);
        expect(aboutApplication(events, application).map(({ type, data }) => [type, data.reason])).toEqual([
          ['application.connected', null],
          ['application.disconnected', 'application_deleted'],
        ]);
      },
      { withinMs: 5_000 },
    );
    expect(receiver.received).toEqual([]);
    await receiver.close();
  });

  test('sends no events to other applications, which get none about API keys either', async () => {
    const [one, other] = [await newApplication(), await newApplication()];
    const { accessToken } = await connected(one.application);
    await connected(other.application);
    await awaitReceived(one.receiver, 1);
    await awaitReceived(other.receiver, 1);
    const ownConnection = await feedOf(accessToken, '&types=application.connected,application.disconnected');
    expect(ownConnection.map(({ data }) => data.application)).toEqual([
      { id: one.application.id, client_id: one.application.clientId, name: 'Shop' },
    ]);
    // The same bytes as pushed: what was missed can be read.
    const { text } = await events(accessToken, 'types=application.connected,application.disconnected');
    expect(text).toContain(one.receiver.received[0]?.body);
    const everything = await feedOf(accessToken);
    expect(aboutApplication(everything, other.application)).toEqual([]);
    expect(everything.filter(({ type }) => type.startsWith('api_key.'))).toEqual([]);
    const refused = await events(accessToken, 'types=order.paid,api_key.expired');
    expect([refused.status, refused.text]).toEqual([403, '{"status":"Forbidden","code":403}']);
    expect(one.receiver.received).toHaveLength(1);
    await disconnect(one.application);
    await disconnect(other.application);
    await awaitReceived(one.receiver, 2);
    await awaitReceived(other.receiver, 2);
    expect(aboutApplication(await feedOf(ownerKey), other.application)).toHaveLength(2);
    await Promise.all([one.receiver.close(), other.receiver.close()]);
  });

  test('of an application with webhooks off, or without the types, is sent to none of its endpoints', async () => {
    const [off, unchosen] = [await newApplication(), await newApplication(['order.paid'])];
    await webhooks.disable(off.application);
    for (const { application } of [off, unchosen]) {
      await connected(application);
      await disconnect(application);
    }
    await expectEventually(
      () => {
        const list = own.received.map(({ event }) => event as unknown as FeedEvent);
        expect(aboutApplication(list, unchosen.application)).toHaveLength(2);
      },
      { withinMs: 5_000 },
    );
    for (const { receiver, application } of [off, unchosen]) {
      expect((await webhooks.deliveries(ownerOf(application))).deliveries).toEqual([]);
      expect(receiver.received).toEqual([]);
      await receiver.close();
    }
  });
});

describe('the expiration of an API key', () => {
  const expirationsOf = async (keyId: string) =>
    (await feedOf(ownerKey)).filter(({ type, data }) => type.startsWith('api_key.') && data.id === keyId);
  const typesOf = async (keyId: string) => (await expirationsOf(keyId)).map(({ type }) => type);
  /** Moves the expiration to so many hours from now, of a key that is a month old. */
  const expireIn = (keyId: string, hours: number) =>
    platform.sql(
      `UPDATE api_keys SET created_at = now() - interval '30 days',
         expires_at = now() + make_interval(hours => $2::int) - interval '1 second' WHERE id = $1`,
      [keyId, hours],
    );

  test('is announced once per step over all replicas, and again after it has changed', async () => {
    const key = await platform.createKey({ businessId: owner.businessId, name: 'Ends soon' });
    const steps: [number, number][] = [
      [14 * 24, 1],
      [3 * 24, 2],
      [24, 3],
      [0, 4],
    ];
    for (const [hours, count] of steps) {
      await expireIn(key.id, hours);
      await expectEventually(async () => expect(await typesOf(key.id)).toHaveLength(count), {
        withinMs: 15_000,
      });
    }
    const [first] = await expirationsOf(key.id);
    expect(await typesOf(key.id)).toEqual([
      ...Array.from({ length: 3 }, () => 'api_key.expiring'),
      'api_key.expired',
    ]);
    expect(first?.data).toEqual({
      id: key.id,
      name: 'Ends soon',
      key_type: 'secret',
      scopes: ['business:read', 'events:read', 'orders:read', 'orders:write'],
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const announced = await typesOf(key.id);
    await expectEventually(
      () => {
        const delivered = own.received.filter(({ event }) => (event.data as { id?: string }).id === key.id);
        // Several may be in flight at once.
        expect(delivered.map(({ event }) => event.type).sort()).toEqual(announced.toSorted());
      },
      { withinMs: 5_000 },
    );
  });

  test('is announced neither right after the creation of the key nor long after the expiration', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    const young = await platform.createKey({ businessId: owner.businessId, expiresAt: inDays(10) });
    const old = await platform.createKey({ businessId: owner.businessId, expiresAt: inDays(400) });
    await expireIn(old.id, -31 * 24);
    // Found by the same round, or by a later one.
    const due = await platform.createKey({ businessId: owner.businessId, expiresAt: inDays(400) });
    await expireIn(due.id, 3 * 24);
    await expectEventually(async () => expect(await typesOf(due.id)).toHaveLength(1), { withinMs: 15_000 });
    expect([await typesOf(young.id), await typesOf(old.id)]).toEqual([[], []]);
  });
});

describe('kill -9 of identity-service', () => {
  const [kill, restart] = [
    () => Promise.all(platform.identities.map((service) => service.kill())),
    () => Promise.all(platform.identities.map((service) => service.start())),
  ];

  const noneLeft = () =>
    expectEventually(async () => expect(await platform.sql('SELECT type FROM outbox_events')).toEqual([]), {
      withinMs: 10_000,
    });

  test.each<[string, (business: TestService) => unknown]>([
    ['before business-service gets the event', (business) => business.kill()],
    ['after it was sent, before the response', (business) => business.freeze()],
  ])('%s loses nothing and doubles nothing', async (_, stop) => {
    const [business] = platform.businesses;
    if (business === undefined) throw new Error('no business-service');
    const { application, receiver } = await newApplication();
    await connected(application);
    await awaitReceived(receiver, 1);
    // It may have been delivered before it was removed.
    await noneLeft();
    const grants = await platform.sql<{ id: string }>('SELECT id FROM grants WHERE application_id = $1', [
      application.id,
    ]);
    await stop(business);
    await disconnect(application);
    expect(await platform.sql('SELECT type FROM outbox_events')).toEqual([
      { type: 'application.disconnected' },
    ]);
    await expectEventually(
      async () => {
        const labels = { method: 'AppendEvents' };
        const text = await metricsOf(platform.identities[0]);
        const counts = ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].map((code) =>
          metricIn(text, 'rpc_client_duration_seconds_count', { ...labels, code }),
        );
        expect(counts.some((count) => count !== undefined)).toBe(true);
        expect(metricIn(text, 'identity_outbox_oldest_seconds')).toBeGreaterThan(1);
      },
      { withinMs: 15_000 },
    );
    await kill();
    business.thaw();
    await business.start();
    await restart();
    await awaitReceived(receiver, 2, 20_000);
    await noneLeft();
    // The gateway connects again by itself.
    const feed = await expectEventually(() => feedOf(ownerKey), { withinMs: 10_000 });
    const ofGrant = feed.filter(({ data }) => data.id === grants[0]?.id);
    expect(ofGrant.map(({ type }) => type)).toEqual([...types]);
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
  });
});

test('events of a business that business-service does not know do not delay others', async () => {
  const unknown = 9_000_000;
  await platform.sql(
    `INSERT INTO outbox_events (id, business_id, type, data)
     SELECT 'evt_refused' || n, $1, 'application.connected', '{}' FROM generate_series(1, 600) AS n`,
    [unknown],
  );
  const { application, receiver } = await newApplication();
  await connected(application);
  await awaitReceived(receiver, 1);
  const age = () => metricOf(platform.identities[0], 'identity_outbox_oldest_seconds');
  await expectEventually(async () => expect(await age()).toBeGreaterThan(0), { withinMs: 5_000 });
  await platform.sql('DELETE FROM outbox_events WHERE business_id = $1', [unknown]);
  await receiver.close();
});

test('the feed of a business has no gap, and each event names the one before it', async () => {
  const all = await feedOf(ownerKey);
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
  expect(all.map(({ previous }) => previous)).toEqual(all.map((_, index) => index));
  expect(feedPage(await events(ownerKey, 'types=api_key.expired,application.connected')).data).not.toEqual(
    [],
  );
});
