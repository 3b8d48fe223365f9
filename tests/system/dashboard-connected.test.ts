import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { TestApplication } from '../harness/applications.ts';
import { untilBusinessIsBack } from '../harness/business-outage.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { joinBusiness, signUp, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Applications that are connected to a business, and disconnecting them. */

const platform = running(sharedPlatform);
let publisher: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  publisher = await signUpVerified(platform, { businessName: 'Maker Ltd', username: 'maker-system' });
  application = await platform.createApplication({
    businessId: publisher.businessId,
    scopes: ['business:read', 'orders:read', 'orders:write'],
  });
});

async function newOwner() {
  const person = await signUpVerified(platform);
  return { person, dashboard: await openDashboard(person, person.browser) };
}

const pageSchema = z.object({
  connections: z.array(z.looseObject({ id: z.string(), connectedAt: z.string() })),
  nextCursor: z.string().nullable(),
});
const connections = async (by: Dashboard, cursor = '') =>
  pageSchema.parse((await by.own('GET', `/connections${cursor && `?cursor=${cursor}`}`)).json());

async function connected() {
  const owner = await newOwner();
  const tokens = await connect(platform, owner.person.browser, application);
  const [connection] = (await connections(owner.dashboard)).connections;
  if (connection === undefined) throw new Error('Nothing is connected.');
  return { ...owner, tokens, id: connection.id };
}

const me = async (key: string) => (await platform.me(key)).status;

describe('a connected application', () => {
  test('is shown with its publisher, its rights and who approved it', async () => {
    const { dashboard, person } = await connected();
    expect(await connections(dashboard)).toEqual({
      connections: [
        {
          id: expect.stringMatching(/^grt_/),
          application: { name: 'Shop', description: 'Sends orders out' },
          publisher: { name: 'Maker Ltd', username: 'maker-system' },
          scopes: [
            { scope: 'business:read', used: false, lastUsedAt: null },
            { scope: 'orders:read', used: false, lastUsedAt: null },
            { scope: 'orders:write', used: false, lastUsedAt: null },
          ],
          approvedBy: person.name,
          connectedAt: expect.any(String),
          approvedAt: expect.any(String),
          lastUsedAt: null,
          lastUsedIp: null,
          requestsLastDay: 0,
          suspension: null,
          applicationSuspension: null,
        },
      ],
      nextCursor: null,
    });
  });

  test('is shown with its real use, within seconds', async () => {
    const { dashboard, tokens } = await connected();
    expect([await me(tokens.accessToken), await me(tokens.accessToken)]).toEqual([200, 200]);
    const { status } = await platform.request(0, 'GET', '/v2/order', { key: tokens.accessToken });
    expect(status).toBe(200);
    const isRecorded = async () =>
      expect(await connections(dashboard)).toMatchObject({
        connections: [
          {
            scopes: [
              { scope: 'business:read', used: true, lastUsedAt: expect.any(String) },
              { scope: 'orders:read', used: true, lastUsedAt: expect.any(String) },
              { scope: 'orders:write', used: false, lastUsedAt: null },
            ],
            lastUsedAt: expect.any(String),
            lastUsedIp: '127.0.0.1',
            requestsLastDay: 3,
          },
        ],
      });
    await expectEventually(isRecorded, { withinMs: 15_000 });
  });

  test('is shown without its publisher while business-service does not respond', async () => {
    const { dashboard } = await connected();
    const [service] = platform.businesses;
    service?.freeze();
    try {
      expect(await connections(dashboard)).toMatchObject({
        connections: [{ application: { name: 'Shop' }, publisher: null }],
      });
    } finally {
      service?.thaw();
      await untilBusinessIsBack(platform);
    }
  });

  test('is shown to members of its business only', async () => {
    const { dashboard, person, id } = await connected();
    const [member, stranger] = await Promise.all([signUp(platform), newOwner()]);
    await joinBusiness(platform, member, person.businessId, 'developer');
    const byMember = await openDashboard(person, member.browser);
    expect((await connections(byMember)).connections).toMatchObject([{ id }]);
    const foreign = await stranger.dashboard.call('GET', `/businesses/${person.businessId}/connections`);
    expect(foreign.status).toBe(404);
    expect((await connections(stranger.dashboard)).connections).toEqual([]);
    expect((await connections(dashboard)).connections).toMatchObject([{ id }]);
  });
});

test('many connected applications are listed page by page, newest first', async () => {
  const { dashboard, person } = await newOwner();
  // Applications and approvals of long ago; their publisher is gone.
  await platform.sql(
    `WITH made AS (
       INSERT INTO applications (id, client_id, business_id, name, description, webhooks_enabled)
       SELECT 'apl_' || $1::bigint || '_' || n, 'app_' || $1::bigint || '_' || n, 900000 + n, 'App ' || n, 'Many', false
       FROM generate_series(1, 120) AS n RETURNING id
     )
     INSERT INTO grants (id, application_id, business_id, person_id, scopes, created_at)
     SELECT 'grant_' || id, id, $1::bigint, 'nobody', '{orders:read}', now() - (row_number() OVER () / 4) * interval '1 minute'
     FROM made`,
    [person.businessId],
  );
  const seen: string[] = [];
  const moments: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: z.output<typeof pageSchema> = await connections(dashboard, cursor);
    seen.push(...page.connections.map(({ id }) => id));
    moments.push(...page.connections.map(({ connectedAt }) => connectedAt));
    expect(page.connections[0]).toMatchObject({ publisher: null, approvedBy: null });
    cursor = page.nextCursor;
  }
  expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
  expect(moments).toEqual(moments.toSorted().reverse());
});

test.each(['x', 'ZzE6eDp5'])('the cursor %j is refused', async (cursor) => {
  const { dashboard } = await newOwner();
  const response = await dashboard.own('GET', `/connections?cursor=${cursor}`);
  expect([response.status, response.json()]).toMatchObject([400, { fields: { cursor: expect.any(String) } }]);
});

describe('disconnecting', () => {
  test('ends every token at once, and may be repeated', async () => {
    const { dashboard, person, tokens, id } = await connected();
    expect(await me(tokens.accessToken)).toBe(200);
    const response = await dashboard.own('DELETE', `/connections/${id}`);
    expect([response.status, response.json()]).toEqual([200, { propagation: 'confirmed' }]);
    expect(await me(tokens.accessToken)).toBe(401);
    expect((await oauthClient(platform, application).refresh(tokens.refreshToken)).status).toBe(400);
    expect((await connections(dashboard)).connections).toEqual([]);
    expect((await dashboard.own('DELETE', `/connections/${id}`)).json()).toEqual({
      propagation: 'confirmed',
    });
    const events = await platform.sql(
      'SELECT action, actor_id FROM audit_events WHERE subject_id = $1 ORDER BY id',
      [id],
    );
    expect(events.at(-1)).toEqual({ action: 'grant.ended', actor_id: person.id });
    expect(events.filter(({ action }) => action === 'grant.ended')).toHaveLength(1);
  });

  test('is allowed to owners only: members get 403, and strangers 404', async () => {
    const { person, tokens, id } = await connected();
    const [member, stranger] = await Promise.all([signUp(platform), newOwner()]);
    await joinBusiness(platform, member, person.businessId, 'developer');
    const byMember = await openDashboard(person, member.browser);
    expect((await byMember.own('DELETE', `/connections/${id}`)).status).toBe(403);
    expect((await stranger.dashboard.own('DELETE', `/connections/${id}`)).status).toBe(404);
    const path = `/businesses/${person.businessId}/connections/${id}`;
    expect((await stranger.dashboard.call('DELETE', path)).status).toBe(404);
    const bare = await person.browser.send('DELETE', `/dashboard-api${path}`);
    expect(bare.status).toBe(403);
    expect(await me(tokens.accessToken)).toBe(200);
  });

  test('is not possible for the owner of the application', async () => {
    const { tokens, id } = await connected();
    const byPublisher = await openDashboard(publisher, publisher.browser);
    expect((await byPublisher.own('DELETE', `/connections/${id}`)).status).toBe(404);
    expect(await me(tokens.accessToken)).toBe(200);
  });

  test('responds with pending while the change cannot be published', async () => {
    const { dashboard, id } = await connected();
    await platform.redis?.stop();
    try {
      const response = await dashboard.own('DELETE', `/connections/${id}`);
      expect([response.status, response.json()]).toEqual([200, { propagation: 'pending' }]);
    } finally {
      await platform.redis?.start();
    }
  });
});
