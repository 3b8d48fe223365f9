import { beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { orderBody } from '../harness/business-platform.ts';
import { type FeedEvent, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * The catalogue of events: the schema and the sample of each type in the OpenAPI document, and the page of the guide, against
 * real events.
 */

interface Webhook {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly example: FeedEvent } };
    };
  };
}

const platform = running(sharedPlatform);
let webhooks: Readonly<Record<string, Webhook>>;
let events: readonly FeedEvent[];
/** Errors of an event against the schema of a type; null for none. */
let errorsOf: (type: string, event: object) => string | null;

beforeAll(async () => {
  const document = (await platform.request(0, 'GET', '/docs/openapi.json')).json() as {
    webhooks: Readonly<Record<string, Webhook>>;
  };
  webhooks = document.webhooks;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), 'document');
  errorsOf = (type, event) => {
    const pointer = `document#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
    return ajv.validate({ $ref: pointer }, event) ? null : ajv.errorsText();
  };
  events = [...(await eventsOfEveryType()), ...(await eventsOfIdentity())];
});

const identityTypes = 'application.connected,application.disconnected,api_key.expiring,api_key.expired';

/** The document with every object that lists its properties closed. */
function closed(document: object): object {
  return JSON.parse(
    JSON.stringify(document, (_, value) =>
      typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
        ? { additionalProperties: false, ...value }
        : value,
    ),
  );
}

async function eventsOfEveryType(): Promise<FeedEvent[]> {
  const call = { deadlineMs: 30_000 };
  const businessId = await platform.createBusiness('catalogue');
  const { keyString: key } = await platform.createKey({ businessId });
  const facts = { legalName: 'Catalogue Limited', registrationNumber: 'HRB 1', country: 'DE' };
  await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
  await platform.businessRpc.RejectVerification({ businessId, reason: 'no such number' }, call);
  await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
  await platform.businessRpc.ApproveVerification({ businessId }, call);
  for (const changes of [
    [{ metadata: { a: 'b' } }, { status: 'paid' }, { status: 'fulfilled' }],
    [{ status: 'cancelled' }],
  ]) {
    const { headers } = await platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
    for (const body of changes) {
      const response = await platform.request(0, 'PATCH', String(headers.location), { key, body });
      expect(response.status).toBe(200);
    }
  }
  const updateMask = { paths: ['account_holder'] };
  await platform.businessRpc.UpdateBusiness({ businessId, accountHolder: 'Catalogue', updateMask }, call);
  await platform.banBusiness(businessId);
  await platform.unbanBusiness(businessId);
  const get = (query: string) => platform.request(0, 'GET', `/v2/events?${query}`, { key });
  return (await readFeed(get, 'limit=100')).events;
}

/** Events of connections and API keys, of another business. */
async function eventsOfIdentity(): Promise<FeedEvent[]> {
  const { browser, businessId } = await signUpVerified(platform);
  const application = await platform.createApplication({ businessId });
  const { refreshToken } = await connect(platform, browser, application);
  await oauthClient(platform, application).revoke(refreshToken);
  const soon = await platform.createKey({ businessId, expiresAt: new Date(Date.now() + 5 * 86_400_000) });
  const past = await platform.createKey({ businessId, type: 'restricted', scopes: ['orders:read'] });
  await platform.sql(
    `UPDATE api_keys SET created_at = now() - interval '20 days',
       expires_at = CASE id WHEN $2 THEN now() - interval '5 minutes' ELSE expires_at END WHERE id IN ($1, $2)`,
    [soon.id, past.id],
  );
  const get = (parameters: string) =>
    platform.request(0, 'GET', `/v2/events?types=${identityTypes}&${parameters}`, { key: soon.keyString });
  return expectEventually(
    async () => {
      const { events } = await readFeed(get, 'limit=100');
      expect(events).toHaveLength(4);
      return events;
    },
    { withinMs: 15_000 },
  );
}

test('every type is in the catalogue, on the page of the guide, and happens', async () => {
  const types = Object.keys(webhooks).toSorted();
  expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual(types);
  const { text } = await platform.request(0, 'GET', '/docs/events');
  const listed = [
    ...text.matchAll(/<td><code>((?:order|business|application|api_key)\.\w+)<\/code><\/td>/g),
  ].map(([, type]) => type);
  expect(listed.toSorted()).toEqual(types);
});

test('every event matches the schema of its type exactly, and that of no other type', () => {
  for (const event of events) {
    expect([event.type, errorsOf(event.type, event)]).toEqual([event.type, null]);
    for (const type of Object.keys(webhooks)) {
      if (type !== event.type) expect([type, errorsOf(type, event)]).toEqual([type, expect.any(String)]);
    }
  }
});

test('every sample is a valid event of its type with the same fields as a real one', () => {
  for (const [type, { post }] of Object.entries(webhooks)) {
    const sample = post.requestBody.content['application/json'].example;
    expect([type, errorsOf(type, sample)]).toEqual([type, null]);
    const real = events.find((event) => event.type === type);
    expect(Object.keys(sample)).toEqual(Object.keys(real ?? {}));
    expect(Object.keys(sample.data)).toEqual(Object.keys(real?.data ?? {}));
  }
});
