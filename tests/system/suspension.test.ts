import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { adminJsonOn } from '../harness/admin.ts';
import type { TestApplication } from '../harness/applications.ts';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { completedAfter, startLoad } from '../harness/load.ts';
import {
  authorizeApplication,
  authorizePath,
  connect,
  oauthClient,
  submitConsent,
  type Tokens,
  tokensOf,
} from '../harness/oauth.ts';
import { joinBusiness, signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: after the response to a suspension no request of the application that starts later succeeds, on any gateway; after
 * the response to its end every one does, with the same tokens. Nothing is used up meanwhile.
 */

const platform = running(sharedPlatform);
let publisher: TestPerson;
let publishers: Dashboard;
let owner: TestPerson;
let owners: Dashboard;
beforeAll(async () => {
  [publisher, owner] = await Promise.all([signUpVerified(platform), signUpVerified(platform)]);
  publishers = await openDashboard(publisher, publisher.browser);
  owners = await openDashboard(owner, owner.browser);
});

let application: TestApplication;
let tokens: Tokens;
beforeEach(async () => {
  application = await platform.createApplication({ businessId: publisher.businessId });
  tokens = await connect(platform, owner.browser, application);
});
afterEach(() => platform.deleteApplication(application));

const path = '/v2/businesses/me';
const ask = (gateway: number, key = tokens.accessToken) => platform.request(gateway, 'GET', path, { key });
const statuses = async () => (await Promise.all([ask(0), ask(1)])).map(({ status }) => status);
const grantId = async () => {
  const grants = await platform.listGrants(owner.businessId);
  return grants.find(({ applicationId }) => applicationId === application.id)?.id ?? '';
};
const onApplication = '/applications/';
const ban = async (isBanned: boolean) => {
  await platform.setPublisherBan(publisher.businessId, isBanned, 'fraud');
};

/**
 * Has a suspension confirmed: a repeated one is published again. Redis may need longer than the second that it has, on a busy
 * machine.
 */
const confirmed = (suspend: () => Promise<HttpResponse>) =>
  expectEventually(
    async () => {
      const response = await suspend();
      expect(response.json()).toMatchObject({ propagation: 'confirmed' });
      return response;
    },
    { withinMs: 5_000 },
  );

/** A way to suspend, and its end. */
interface Way {
  readonly anchor: 'application_suspended' | 'connection_suspended';
  readonly suspend: () => Promise<unknown>;
  readonly resume: () => Promise<unknown>;
}

const byPublisher: Way = {
  anchor: 'application_suspended',
  suspend: () => confirmed(() => publishers.own('PUT', `${onApplication}${application.id}/suspension`, {})),
  resume: () => publishers.own('DELETE', `${onApplication}${application.id}/suspension`),
};
const byOperator: Way = {
  anchor: 'application_suspended',
  suspend: () => platform.suspendApplication(application, 'phishing'),
  resume: () => platform.resumeApplication(application),
};
const byBan: Way = {
  anchor: 'application_suspended',
  suspend: () => ban(true),
  resume: () => ban(false),
};
const byConnectedOwner: Way = {
  anchor: 'connection_suspended',
  suspend: async () => {
    const suspension = `/connections/${await grantId()}/suspension`;
    const response = await confirmed(() => owners.own('PUT', suspension, { reason: 'odd' }));
    expect(response.json()).toEqual({ propagation: 'confirmed' });
  },
  resume: async () => owners.own('DELETE', `/connections/${await grantId()}/suspension`),
};

const ways: Readonly<Record<string, Way>> = {
  'by its publisher': byPublisher,
  'by an operator': byOperator,
  'by the ban of its publisher': byBan,
  'of one connection, by the connected owner': byConnectedOwner,
};

describe.each(Object.entries(ways))('a suspension %s', (_, { anchor, suspend, resume }) => {
  test('takes effect at once on every gateway under load, and so does its end', async () => {
    const load = startLoad({ ports: platform.gatewayPorts, rate: 200, path, key: tokens.accessToken });
    await completedAfter(load, 0, 40);
    expect(load.report.failures(200)).toEqual([]);
    await suspend();
    const suspendedAt = performance.now();
    await completedAfter(load, suspendedAt, 40);
    const resumingAt = performance.now();
    await resume();
    const resumedAt = performance.now();
    await completedAfter(load, resumedAt, 40);
    const { records } = await load.stop();
    const between = (from: number, to: number) => [
      ...new Set(
        records
          .filter(({ startedAt, endedAt }) => startedAt >= from && endedAt < to)
          .map(({ status, error }) => status ?? error),
      ),
    ];
    expect(between(suspendedAt, resumingAt)).toEqual([403]);
    expect(between(resumedAt, Number.POSITIVE_INFINITY)).toEqual([200]);
  });

  test('is a 403 with a link of its own', async () => {
    await suspend();
    for (const gateway of [0, 1]) {
      const response = await ask(gateway);
      expect([response.status, response.json()]).toEqual([403, { status: 'Forbidden', code: 403 }]);
      expect(response.headers).toMatchObject({
        link: `</docs/errors#${anchor}>; rel="help"`,
        'www-authenticate': 'Bearer realm="API"',
      });
    }
    await resume();
    expect(await statuses()).toEqual([200, 200]);
  });

  test('refuses codes and refresh tokens without using them up', async () => {
    const client = oauthClient(platform, application);
    const { code, verifier } = await authorizeApplication(owner.browser, application);
    await suspend();
    for (const at of [0, 1]) {
      expect((await client.exchange(code, verifier, {}, at)).body.error).toBe('unauthorized_client');
      const refused = await client.refresh(tokens.refreshToken, {}, {}, at);
      expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client']);
    }
    await resume();
    expect((await client.exchange(code, verifier)).status).toBe(200);
    expect((await client.refresh(tokens.refreshToken)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200]);
  });

  test('keeps a used refresh token from ending the Grant', async () => {
    const client = oauthClient(platform, application);
    await client.refresh(tokensOf(await client.refresh(tokens.refreshToken)).refreshToken);
    await suspend();
    expect((await client.refresh(tokens.refreshToken)).body.error).toBe('unauthorized_client');
    await resume();
    expect(await statuses()).toEqual([200, 200]);
  });

  test('lets tokens be revoked', async () => {
    await suspend();
    expect((await oauthClient(platform, application).revoke(tokens.accessToken)).status).toBe(200);
    await resume();
    expect(await statuses()).toEqual([401, 401]);
  });

  test('shows an error page instead of the consent page, without a redirect', async () => {
    await suspend();
    const page = await owner.browser.open(authorizePath(application));
    expect([page.status, page.headers.location]).toEqual([403, undefined]);
    expect(page.text).toContain('suspended');
    await resume();
    expect((await owner.browser.open(authorizePath(application))).status).toBe(303);
  });
});

test('a consent page that was open before the suspension gives no access', async () => {
  const stranger = await signUpVerified(platform);
  expect((await stranger.browser.open(authorizePath(application))).status).toBe(200);
  await byOperator.suspend();
  const response = await submitConsent(stranger.browser, 'approve');
  expect([response.status, response.headers.location]).toEqual([403, undefined]);
  expect(response.text).toContain('suspended');
  const grants = await platform.listGrants(stranger.businessId);
  expect(grants).toEqual([]);
});

test('each side can lift only its own suspension', async () => {
  const { suspensions } = await platform.getApplication(application);
  expect(suspensions).toEqual([]);
  for (const { suspend } of Object.values(ways)) await suspend();
  for (const { resume } of [byPublisher, byOperator, byBan]) {
    expect(await statuses()).toEqual([403, 403]);
    await resume();
  }
  expect((await ask(0)).headers.link).toContain('connection_suspended');
  await byConnectedOwner.resume();
  expect(await statuses()).toEqual([200, 200]);
});

test('a repeated suspension keeps the first reason, and publishes again', async () => {
  const suspension = `${onApplication}${application.id}/suspension`;
  await publishers.own('PUT', suspension, { reason: ' first ' });
  const { status, ...response } = await confirmed(() =>
    publishers.own('PUT', suspension, { reason: 'second' }),
  );
  expect([status, response.json()]).toMatchObject([
    200,
    { application: { suspensions: [{ cause: 'publisher', reason: 'first' }] } },
  ]);
});

test('both sides see a suspension, but neither sees a person or reason of the other side', async () => {
  const suspended = `${onApplication}${application.id}`;
  await publishers.own('PUT', `${suspended}/suspension`, { reason: 'a leak' });
  await byConnectedOwner.suspend();
  const given = (await owners.own('GET', '/connections')).json();
  expect(given).toMatchObject({
    connections: [
      {
        suspension: { reason: 'odd', by: owner.name },
        applicationSuspension: { since: expect.any(String), by: 'publisher' },
      },
    ],
  });
  expect(JSON.stringify(given)).not.toContain('a leak');
  const held = (await publishers.own('GET', `${suspended}/connections`)).json();
  expect(held).toMatchObject({ connections: [{ suspendedAt: expect.any(String) }] });
  expect(JSON.stringify(held)).not.toContain('odd');
  const page = await owner.browser.open('/account/applications');
  expect(page.text).toContain('Suspended');
});

test('a suspension and its end are each recorded once in the audit log of both sides', async () => {
  await byPublisher.suspend();
  await byPublisher.suspend();
  await byPublisher.resume();
  await byConnectedOwner.suspend();
  await byConnectedOwner.resume();
  const logOf = async (dashboard: Dashboard) => {
    const { events } = (await dashboard.own('GET', '/audit-events')).json() as {
      events: { action: string; actor: { kind: string; id: string; email: string | null }; words: string }[];
    };
    return events
      .slice(0, 4)
      .map(({ action, actor }) => `${action} ${actor.kind} ${actor.email ?? actor.id}`)
      .reverse();
  };
  const person = ({ email }: TestPerson) => `person ${email}`;
  expect(await logOf(publishers)).toEqual([
    `application.suspended ${person(publisher)}`,
    `application.resumed ${person(publisher)}`,
    'application.connection_suspended system connected business',
    'application.connection_resumed system connected business',
  ]);
  expect(await logOf(owners)).toEqual([
    `application.suspended application ${application.clientId}`,
    `application.resumed application ${application.clientId}`,
    `grant.suspended ${person(owner)}`,
    `grant.resumed ${person(owner)}`,
  ]);
});

test('a developer cannot suspend a connection, and neither side can suspend what belongs to the other', async () => {
  const member = await signUpVerified(platform);
  await joinBusiness(platform, member, owner.businessId, 'developer');
  const members = await openDashboard(owner, member.browser);
  const connection = `/connections/${await grantId()}/suspension`;
  expect((await members.own('PUT', connection, {})).status).toBe(403);
  const foreign = [
    await publishers.own('PUT', connection, {}),
    await owners.own('PUT', `${onApplication}${application.id}/suspension`, {}),
    await owners.own('DELETE', `${onApplication}${application.id}/suspension`),
    await owners.own('PUT', '/connections/grt_000000000000000000000000/suspension', {}),
  ];
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(await statuses()).toEqual([200, 200]);
});

test('a reason is one line of at most 200 characters', async () => {
  for (const reason of ['x'.repeat(201), 'two\nlines']) {
    for (const response of [
      await publishers.own('PUT', `${onApplication}${application.id}/suspension`, { reason }),
      await owners.own('PUT', `/connections/${await grantId()}/suspension`, { reason }),
    ]) {
      expect([response.status, response.json()]).toMatchObject([
        400,
        { fields: { reason: expect.any(String) } },
      ]);
    }
  }
  expect(await statuses()).toEqual([200, 200]);
});

test('operators suspend, resume and ban on the command line', async () => {
  const which = ['--business', String(publisher.businessId)];
  const one = [...which, '--application', application.id];
  const suspended = await adminJsonOn(platform, 'application', 'suspend', ...one, '--reason', 'phishing');
  expect(suspended).toMatchObject({
    suspensions: [{ cause: 'operator', reason: 'phishing', suspendedAt: expect.any(String) }],
    propagation: 'confirmed',
  });
  expect(await statuses()).toEqual([403, 403]);
  expect(await adminJsonOn(platform, 'application', 'resume', ...one)).toMatchObject({ suspensions: [] });
  expect(await statuses()).toEqual([200, 200]);
  const banned = await adminJsonOn(platform, 'business', 'ban', ...which, '--reason', 'fraud');
  expect(banned).toMatchObject({ isBanned: true, propagation: 'confirmed' });
  expect(await statuses()).toEqual([403, 403]);
  await adminJsonOn(platform, 'business', 'unban', ...which, '--reason', 'a mistake');
  expect(await statuses()).toEqual([200, 200]);
});

describe('a ban of the publisher', () => {
  test('suspends an application registered during it, but not the access of the publisher itself', async () => {
    const { accessToken } = await connect(platform, publisher.browser, application);
    await ban(true);
    const later = await platform.createApplication({ businessId: publisher.businessId });
    expect((await platform.getApplication(later)).suspensions).toMatchObject([{ cause: 'ban' }]);
    const own = await ask(0, accessToken);
    expect([own.status, own.json()]).toMatchObject([200, { is_banned: true }]);
    await ban(false);
    await platform.deleteApplication(later);
  });
});

test('deleting a suspended application deletes its suspension as well', async () => {
  await byOperator.suspend();
  const other = await platform.createApplication({ businessId: publisher.businessId });
  await platform.deleteApplication(application);
  const rows = await platform.sql('SELECT 1 FROM application_suspensions WHERE application_id = $1', [
    application.id,
  ]);
  expect(rows).toEqual([]);
  application = other;
});
