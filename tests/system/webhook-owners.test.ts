import { rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import { createBrowser } from '../harness/browser.ts';
import type { Dashboard } from '../harness/dashboard.ts';
import { type EventStream, openEventStream } from '../harness/event-stream.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type LogLine, logLines } from '../harness/log-lines.ts';
import { joinBusiness, mailsTo, signUp, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { newOwner, register } from '../harness/registered-application.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, makeOrder } from '../harness/webhooks.ts';

/* Owners of endpoints that fail: they are warned by email, once for each step of a period, whichever replica sees it. */

let platform: Platform;
let receiver: WebhookReceiver;
beforeAll(async () => {
  const webhookEnv = { ENDPOINT_INTERVAL_MS: '200' };
  platform = await startPlatform({ identities: 2, webhooks: 2, webhookEnv });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await platform?.close();
  await receiver?.close();
});

let person: TestPerson;
let by: Dashboard;
let key: string;
beforeEach(async () => {
  ({ person, dashboard: by } = await newOwner(platform));
  ({ keyString: key } = await platform.createKey({ businessId: person.businessId }));
});

const base = '/webhook-endpoints';
const created = z.object({ endpoint: z.object({ id: z.string() }) });

const sql = (text: string, values: unknown[]) => query(platform.databases.webhook ?? '', text, values);

async function add(): Promise<{ readonly id: string; readonly path: string }> {
  const response = await by.own('POST', base, {
    url: `${receiver.url}?token=hidden`,
    events: ['order.created'],
  });
  const { id } = created.parse(response.json()).endpoint;
  return { id, path: `${base}/${id}` };
}

/** An endpoint whose first delivery has failed; it is not repeated soon. */
async function addFailing() {
  receiver.respond(() => 500);
  const endpoint = await add();
  await makeOrder(platform, key);
  await expectEventually(
    async () => {
      expect(await shown(endpoint)).toMatchObject({ failingSince: expect.any(String) });
      const text = `UPDATE deliveries SET next_attempt_at = now() + interval '1 day'
        WHERE endpoint_id = $1 AND attempts > 0 RETURNING 1`;
      expect(await sql(text, [endpoint.id])).toHaveLength(1);
    },
    { withinMs: 5_000 },
  );
  return endpoint;
}

const shown = async ({ path }: { readonly path: string }) => (await by.own('GET', path)).json();

/** Moves the period of failures of an endpoint so many hours into the past, once the warning before it is stored. */
const letPass = (id: string, hours: number) =>
  expectEventually(
    async () => {
      const text = `UPDATE endpoints SET failing_since = failing_since - make_interval(hours => $2),
        warned_since = warned_since - make_interval(hours => $2) WHERE id = $1 AND warn_after IS NULL RETURNING id`;
      expect(await sql(text, [id, hours])).toHaveLength(1);
    },
    { withinMs: 5_000 },
  );

const isWarning = ({ subject }: { readonly subject: string }) => /(?:is failing|was disabled)$/.test(subject);
const warningsOf = ({ email }: TestPerson) => mailsTo(platform.mailDirectory, email).filter(isWarning);

const awaitWarnings = (count: number, of = person) =>
  expectEventually(
    () => {
      expect(warningsOf(of)).toHaveLength(count);
      return warningsOf(of).at(-1);
    },
    { withinMs: 5_000 },
  );

const resend = async (): Promise<void> => {
  const { deliveries } = z
    .object({ deliveries: z.array(z.object({ id: z.string() })) })
    .parse((await by.own('GET', '/webhook-deliveries')).json());
  const before = receiver.received.length;
  await by.own('POST', `/webhook-deliveries/${deliveries[0]?.id}/resend`);
  await awaitReceived(receiver, before + 1);
};

async function recover(endpoint: { readonly path: string }): Promise<void> {
  receiver.respond(() => 204);
  await resend();
  const isWell = async () => expect(await shown(endpoint)).toMatchObject({ failingSince: null });
  await expectEventually(isWell, { withinMs: 5_000 });
}

/** Waits until a round after this call has found what is due: it warns the owner of another endpoint. */
async function awaitRound(): Promise<void> {
  const [mine, myDashboard, myKey] = [person, by, key];
  ({ person, dashboard: by } = await newOwner(platform));
  ({ keyString: key } = await platform.createKey({ businessId: person.businessId }));
  const { id } = await addFailing();
  await letPass(id, 1);
  await awaitWarnings(1);
  [person, by, key] = [mine, myDashboard, myKey];
}

describe('owners of an endpoint that fails', () => {
  test('are warned once per step: after an hour, after half of the five days, and when it is disabled', async () => {
    const second = await signUp(platform);
    await joinBusiness(platform, second, person.businessId, 'owner');
    const member = await signUp(platform);
    await joinBusiness(platform, member, person.businessId, 'developer');
    const endpoint = await addFailing();
    await letPass(endpoint.id, 1);
    const first = await awaitWarnings(1);
    expect(first?.subject).toBe('A webhook endpoint is failing');
    expect(first?.text).toMatch(
      /^Every delivery to this webhook endpoint of "Analytical Engines" has failed since \d+ \w+ \d{4} at \d\d:\d\d UTC\./,
    );
    expect(first?.text).toContain(`${receiver.url}\n`);
    expect(first?.text).toContain(`/dashboard/${person.businessId}/settings/developers/webhooks`);
    await letPass(endpoint.id, 60);
    expect((await awaitWarnings(2))?.subject).toBe('A webhook endpoint is failing');
    await letPass(endpoint.id, 60);
    await resend();
    const last = await awaitWarnings(3);
    expect(last?.subject).toBe('A webhook endpoint was disabled');
    expect(await shown(endpoint)).toMatchObject({ enabled: false, disabledReason: 'failing' });
    await awaitRound();
    expect([warningsOf(person), warningsOf(second), warningsOf(member)].map(({ length }) => length)).toEqual([
      3, 3, 0,
    ]);
    const events = (await eventsOf(platform, endpoint.id)).slice(1);
    const system = { actor_kind: 'system', actor_id: 'webhook-service' };
    // The attempt may end before the request for it.
    const isSystem = ({ actor_kind }: { readonly actor_kind: string }) => actor_kind === 'system';
    expect(events.filter(isSystem)).toMatchObject([
      { action: 'webhook_endpoint.failing', ...system },
      { action: 'webhook_endpoint.failing', ...system },
      { action: 'webhook_endpoint.disabled', ...system },
    ]);
    expect(events.filter((event) => !isSystem(event))).toMatchObject([
      { action: 'webhook_endpoint.resent', actor_kind: 'person' },
    ]);
  });

  test('are warned of a 410 at once, and of nothing when they disable it themselves', async () => {
    receiver.respond(() => 410);
    const gone = await add();
    await makeOrder(platform, key);
    expect((await awaitWarnings(1))?.text).toContain('responded with 410 Gone, so it was disabled');
    expect((await by.own('DELETE', gone.path)).status).toBe(204);
    const { id, path } = await addFailing();
    await by.own('POST', `${path}/disable`);
    await letPass(id, 100);
    await awaitRound();
    expect(await sql('SELECT warn_after, warned_step FROM endpoints WHERE id = $1', [id])).toEqual([
      { warn_after: null, warned_step: 0 },
    ]);
  });

  test('are not warned after a recovery, but warned again after each new period of failures', async () => {
    const endpoint = await addFailing();
    await recover(endpoint);
    await letPass(endpoint.id, 1);
    await awaitRound();
    expect(warningsOf(person)).toEqual([]);
    receiver.respond(() => 500);
    for (const count of [1, 2]) {
      await by.own('POST', `${endpoint.path}/enable`);
      await resend();
      await expectEventually(
        async () => {
          expect(await shown(endpoint)).toMatchObject({ failingSince: expect.any(String) });
        },
        { withinMs: 5_000 },
      );
      await letPass(endpoint.id, 1);
      await awaitWarnings(count);
    }
  });

  test('get a warning that could not be sent once at a later time, and none if the endpoint has recovered', async () => {
    const failing = await addUnwarned();
    await tryAgain(failing);
    await awaitWarnings(1);
    await awaitRound();
    expect(warningsOf(person)).toHaveLength(1);
    await by.own('DELETE', failing.path);
    const recovered = await addUnwarned();
    await recover(recovered);
    await tryAgain(recovered);
    await awaitRound();
    expect(warningsOf(person)).toHaveLength(1);
  });

  /** An endpoint that fails, and the email about it could not be sent. */
  async function addUnwarned() {
    const { mailDirectory } = platform;
    const endpoint = await addFailing();
    await rename(mailDirectory, `${mailDirectory}.away`);
    try {
      await writeFile(mailDirectory, '');
      await letPass(endpoint.id, 1);
      const isUnsent = ({ msg, endpointId }: LogLine) =>
        msg === 'warning not sent' && endpointId === endpoint.id;
      const unsent = () => platform.identities.flatMap(logLines).filter(isUnsent);
      await expectEventually(() => expect(unsent()).toHaveLength(1), { withinMs: 5_000 });
    } finally {
      await rm(mailDirectory);
      await rename(`${mailDirectory}.away`, mailDirectory);
    }
    return endpoint;
  }

  /** Has the next try of its email come. */
  async function tryAgain({ id }: { readonly id: string }): Promise<void> {
    const text = 'UPDATE webhook_warnings SET next_try_at = now() WHERE endpoint_id = $1';
    await platform.sql(text, [id]);
    await sql('UPDATE endpoints SET warn_after = now() WHERE id = $1', [id]);
  }
});

test('a recovery shows how many deliveries it has and how many were resent', async () => {
  const endpoint = await add();
  const recoveryOf = async () => z.object({ recovery: z.unknown() }).parse(await shown(endpoint)).recovery;
  expect(await recoveryOf()).toBeNull();
  await by.own('POST', `${endpoint.path}/disable`);
  for (let order = 0; order < 3; order++) await makeOrder(platform, key);
  await expectEventually(
    async () => {
      expect((await by.own('GET', '/webhook-deliveries?status=skipped')).json()).toMatchObject({
        deliveries: [{}, {}, {}],
      });
    },
    { withinMs: 5_000 },
  );
  await by.own('POST', `${endpoint.path}/enable`);
  // The first attempt hangs, and an endpoint without a success has one in flight.
  const { promise, resolve } = Promise.withResolvers<number>();
  const before = receiver.received.length;
  receiver.respond(() => promise);
  const since = '2026-01-01T00:00:00.000Z';
  expect((await by.own('POST', `${endpoint.path}/recover`, { since })).json()).toEqual({ deliveries: 3 });
  await awaitReceived(receiver, before + 1);
  expect(await recoveryOf()).toMatchObject({ since, total: 3, sent: 0 });
  resolve(204);
  await expectEventually(async () => expect(await recoveryOf()).toMatchObject({ total: 3, sent: 3 }), {
    withinMs: 5_000,
  });
});

test('endpoints of a deleted application are deleted, also when webhook-service was down at that time', async () => {
  const [one, other] = [await register(by, person), await register(by, person)];
  const missing = await register(by, person);
  const addTo = async ({ id }: { readonly id: string }) => {
    const response = await by.own('POST', `${base}?applicationId=${id}`, { url: receiver.url });
    return created.parse(response.json()).endpoint.id;
  };
  const [ofOne, ofOther, own] = [await addTo(one), await addTo(other), (await add()).id];
  // As after a restore of an older backup: that is no deletion.
  const ofMissing = await addTo(missing);
  await platform.sql('DELETE FROM applications WHERE id = $1', [missing.id]);
  const left = () => sql('SELECT id FROM endpoints WHERE business_id = $1', [person.businessId]);
  await by.own('DELETE', `/applications/${one.id}`);
  await expectEventually(async () => expect(await left()).not.toContainEqual({ id: ofOne }), {
    withinMs: 5_000,
  });
  await Promise.all(platform.webhooks.map((service) => service.stop()));
  await by.own('DELETE', `/applications/${other.id}`);
  expect(await left()).toContainEqual({ id: ofOther });
  await Promise.all(platform.webhooks.map((service) => service.start()));
  await expectEventually(async () => expect(await left()).not.toContainEqual({ id: ofOther }), {
    withinMs: 5_000,
  });
  expect((await left()).map(({ id }) => id).sort()).toEqual([own, ofMissing].sort());
});

describe('changes of deliveries', () => {
  const streams: EventStream[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  const listen = async (who: Pick<TestPerson, 'browser'> = person, rest = '') => {
    const path = `/dashboard-api/businesses/${person.businessId}/webhook-changes${rest}`;
    const stream = await openEventStream(platform.gatewayPorts[0] ?? 0, path, who.browser);
    streams.push(stream);
    return stream;
  };
  const awaitEvents = (stream: EventStream, count: number) =>
    expectEventually(() => expect(stream.events.length).toBeGreaterThanOrEqual(count), { withinMs: 5_000 });
  /** Opens streams, as a page does when one has ended, until an event comes. */
  const listenUntilLive = () =>
    expectEventually(
      async () => {
        const stream = await listen();
        await expectEventually(() => expect(stream.hasEnded || stream.events.length > 0).toBe(true), {
          withinMs: 5_000,
        });
        expect(stream.hasEnded).toBe(false);
        return stream;
      },
      { withinMs: 10_000 },
    );
  const awaitEnd = (stream: EventStream) =>
    expectEventually(() => expect(stream.hasEnded).toBe(true), { withinMs: 10_000 });

  test('are sent to pages of the business as they happen on any replica, but to no other business', async () => {
    const other = await newOwner(platform);
    const theirs = await openEventStream(
      platform.gatewayPorts[0] ?? 0,
      `/dashboard-api/businesses/${other.person.businessId}/webhook-changes`,
      other.person.browser,
    );
    streams.push(theirs);
    const stream = await listen();
    expect(stream.status).toBe(200);
    await Promise.all([awaitEvents(stream, 1), awaitEvents(theirs, 1)]);
    receiver.respond(() => 204);
    await add();
    await awaitEvents(stream, 2);
    const seen = stream.events.length;
    await makeOrder(platform, key);
    await awaitEvents(stream, seen + 1);
    expect(new Set(stream.events)).toEqual(new Set(['changed']));
    expect(theirs.events).toHaveLength(1);
  });

  test('are not sent to people without access, and their streams end with the session and the role', async () => {
    const stranger = await signUp(platform);
    expect((await listen(stranger)).status).toBe(404);
    expect((await listen({ browser: createBrowser(platform.gatewayPorts[0] ?? 0) })).status).toBe(401);
    expect((await listen(person, '?applicationId=apl_000000000000000000000000')).status).toBe(404);
    const colleague = await signUp(platform);
    await joinBusiness(platform, colleague, person.businessId, 'owner');
    const [mine, theirs] = [await listen(), await listen(colleague)];
    await Promise.all([awaitEvents(mine, 1), awaitEvents(theirs, 1)]);
    const { status } = await by.own('PATCH', `/team/members/${colleague.id}`, { role: 'developer' });
    expect(status).toBeLessThan(300);
    await awaitEnd(theirs);
    expect(mine.hasEnded).toBe(false);
    const again = await listen(colleague);
    await awaitEvents(again, 1);
    await by.own('DELETE', `/team/members/${colleague.id}`, {});
    await awaitEnd(again);
    expect((await listen(colleague)).status).toBe(404);
    await person.browser.open('/account/sessions');
    await person.browser.submit('/logout');
    await awaitEnd(mine);
  });

  test('are no longer sent to a person without the second factor that the business requires', async () => {
    const stream = await listen();
    await awaitEvents(stream, 1);
    const text = 'INSERT INTO second_factor_requirements (business_id, person_id) VALUES ($1, $2)';
    await platform.sql(text, [person.businessId, person.id]);
    await awaitEnd(stream);
    expect((await listen()).status).toBe(403);
    await platform.sql('DELETE FROM second_factor_requirements');
    expect((await listen()).status).toBe(200);
  });

  test('have a bounded number of streams per person, which are free again when pages are closed', async () => {
    const opened: EventStream[] = [];
    // Two identity-services with six streams each.
    for (let i = 0; i < 14; i++) opened.push(await listen());
    const refused = opened.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const stream of opened) stream.close();
    await expectEventually(async () => expect((await listen()).status).toBe(200), { withinMs: 5_000 });
  });

  test('end at once when identity-service or webhook-service stops, and go on with the next one', async () => {
    const open = await Promise.all([listen(), listen(), listen(), listen()]);
    await Promise.all(open.map((stream) => awaitEvents(stream, 1)));
    await Promise.all(platform.webhooks.map((service) => service.stop()));
    await Promise.all(open.map(awaitEnd));
    await Promise.all(platform.webhooks.map((service) => service.start()));
    const next = await listenUntilLive();
    await Promise.all(platform.identities.map((service) => service.stop()));
    await awaitEnd(next);
    await Promise.all(platform.identities.map((service) => service.start()));
    await listenUntilLive();
  });
});
