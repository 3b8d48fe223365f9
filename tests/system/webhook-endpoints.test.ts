import { beforeEach, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { attemptPatience, call } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { databaseRows } from '../harness/secret-scan.ts';
import { startWebhookReceiver, verified } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder } from '../harness/webhooks.ts';

/* webhook.v1 from outside: endpoints of businesses, their secrets, health and deliveries. */

const platform = running(() =>
  startPlatform({
    webhooks: 1,
    webhookEnv: { PURGE_INTERVAL_MS: '500', ENDPOINT_INTERVAL_MS: '200', ...attemptPatience },
  }),
);
const webhooks = running(() => connectWebhooks(platform));
const receiver = running(startWebhookReceiver);

let owner: { readonly businessId: number; readonly applicationId: string };
let key: string;
beforeEach(async () => {
  receiver.respond(() => 204);
  owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
  ({ keyString: key } = await platform.createKey({ businessId: owner.businessId }));
});

const sql = (text: string, values: unknown[] = []) =>
  query<Record<string, unknown>>(platform.databases.webhook ?? '', text, values);
const create = (change: object = {}) =>
  webhooks.endpointRpc.CreateEndpoint(
    { owner, url: receiver.url, description: 'orders', events: ['order.created'], ...change },
    call,
  );
const created = async () => {
  const { endpoint, secret } = await create();
  return { endpointId: endpoint?.id ?? '', secret, reference: { owner, endpointId: endpoint?.id ?? '' } };
};
/** An order, and the request that tells of it. */
const delivered = async () => {
  const before = receiver.received.length;
  await makeOrder(platform, key);
  await awaitReceived(receiver, before + 1);
  const last = receiver.received.at(-1);
  if (last === undefined) throw new Error('nothing arrived');
  return last;
};

describe('an endpoint', () => {
  test('is created enabled, and read, listed and deleted by its owner', async () => {
    const { endpoint, secret } = await create({ events: ['order.paid', 'order.created', 'order.paid'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toMatchObject({
      owner,
      url: receiver.url,
      description: 'orders',
      events: ['order.created', 'order.paid'],
      enabled: true,
      pending: 0,
    });
    const reference = { owner, endpointId: endpoint?.id ?? '' };
    expect((await webhooks.endpointRpc.GetEndpoint(reference, call)).endpoint).toEqual(endpoint);
    expect((await webhooks.endpointRpc.ListEndpoints({ owner }, call)).endpoints).toEqual([endpoint]);
    await webhooks.endpointRpc.DeleteEndpoint(reference, call);
    expect((await webhooks.endpointRpc.ListEndpoints({ owner }, call)).endpoints).toEqual([]);
    await expect(webhooks.endpointRpc.DeleteEndpoint(reference, call)).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'endpoint_not_found',
    });
  });

  test('is deleted while its results are being stored', async () => {
    for (let round = 0; round < 12; round++) {
      const { reference } = await created();
      const before = receiver.received.length;
      await Promise.all([makeOrder(platform, key), makeOrder(platform, key), makeOrder(platform, key)]);
      await awaitReceived(receiver, before + 1);
      await webhooks.endpointRpc.DeleteEndpoint(reference, call);
      await expectEventually(
        async () =>
          expect(await sql('SELECT 1 FROM endpoints WHERE id = $1', [reference.endpointId])).toEqual([]),
        { withinMs: 5_000 },
      );
    }
  });

  test.each<[string, object]>([
    ['an address inside the network', { url: 'https://10.0.0.1/hook' }],
    ['an unknown event type', { events: ['ORDER'] }],
    ['control characters', { description: 'a\u0000b' }],
    ['a long description', { description: 'a'.repeat(201) }],
    ['no owner', { owner: null }],
  ])('is refused with %s', async (_, change) => {
    await expect(create(change)).rejects.toMatchObject({ kind: 'invalid_argument' });
  });

  test('is one of five at most, also when they are created at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await expect(create()).rejects.toMatchObject({ reason: 'endpoint_limit_reached' });
  });

  test('shows how its latest attempts went, and when the next one starts', async () => {
    const { reference } = await created();
    const activity = async () => {
      const { endpoint } = await webhooks.endpointRpc.GetEndpoint(reference, call);
      const { pending, recentAttempts, recentSuccesses, recentP95Ms, nextAttemptAtUnixMs } = endpoint ?? {};
      const { lastOutcome, lastStatus } = endpoint ?? {};
      const isDue = nextAttemptAtUnixMs !== 0;
      return { pending, recentAttempts, recentSuccesses, recentP95Ms, lastOutcome, lastStatus, isDue };
    };
    const counts = { pending: 0, recentAttempts: 0, recentSuccesses: 0, recentP95Ms: 0 };
    const none = { ...counts, lastOutcome: '', lastStatus: 0, isDue: false };
    expect(await activity()).toEqual(none);
    const becomes = (expected: object) =>
      expectEventually(async () => expect(await activity()).toMatchObject(expected), { withinMs: 5_000 });
    await delivered();
    await becomes({ pending: 0, recentAttempts: 1, recentSuccesses: 1, lastOutcome: 'delivered' });
    await sql(
      `UPDATE attempts SET duration_ms = 4321 WHERE delivery_id IN (SELECT id FROM deliveries WHERE endpoint_id = $1)`,
      [reference.endpointId],
    );
    expect(await activity()).toMatchObject({ recentP95Ms: 4_321 });
    receiver.respond(() => 500);
    await delivered();
    await becomes({ pending: 1, recentSuccesses: 1, lastOutcome: 'refused', lastStatus: 500, isDue: true });
    // The next attempt waits for the circuit breaker.
    const pausedUntil = new Date(Date.now() + 86_400_000);
    await sql('UPDATE endpoints SET paused_until = $2 WHERE id = $1', [reference.endpointId, pausedUntil]);
    const { endpoint } = await webhooks.endpointRpc.GetEndpoint(reference, call);
    expect(endpoint?.nextAttemptAtUnixMs).toBe(pausedUntil.getTime());
    await webhooks.endpointRpc.DisableEndpoint(reference, call);
    await becomes({ pending: 0, isDue: false });
  });

  test('belongs to its owner alone', async () => {
    const { endpointId } = await created();
    const others = [
      { businessId: owner.businessId + 1, applicationId: '' },
      { businessId: owner.businessId, applicationId: `apl_${'0'.repeat(24)}` },
    ];
    for (const other of others) {
      const reference = { owner: other, endpointId };
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => webhooks.endpointRpc.GetEndpoint(reference, call),
        () => webhooks.endpointRpc.RevealSecret(reference, call),
        () => webhooks.endpointRpc.DisableEndpoint(reference, call),
        () => webhooks.endpointRpc.DeleteEndpoint(reference, call),
        () => webhooks.deliveryRpc.SendTestEvent({ ...reference, type: 'order.paid' }, call),
        () => webhooks.deliveryRpc.RecoverDeliveries({ ...reference, sinceUnixMs: 0 }, call),
      ];
      for (const attempt of attempts) {
        await expect(attempt()).rejects.toMatchObject({ kind: 'not_found' });
      }
    }
  });

  test('changes only the fields in the update mask', async () => {
    const { reference } = await created();
    const update = (fields: object, paths: string[]) =>
      webhooks.endpointRpc.UpdateEndpoint({ ...reference, ...fields, updateMask: { paths } }, call);
    const { endpoint } = await update({ url: 'nonsense', description: 'new' }, ['description']);
    expect(endpoint).toMatchObject({ url: receiver.url, description: 'new', events: ['order.created'] });
    await expect(update({ url: 'https://127.0.0.1.nip:1' }, ['url'])).rejects.toMatchObject({
      kind: 'invalid_argument',
    });
    await expect(update({}, [])).rejects.toMatchObject({ kind: 'invalid_argument' });
    const moved = await startWebhookReceiver();
    await update({ url: moved.url, events: [] }, ['url', 'events']);
    await makeOrder(platform, key);
    await awaitReceived(moved, 1);
    await moved.close();
  });
});

describe('a signing secret', () => {
  test('keeps signing next to the new one after a rotation, unless it is ended at once', async () => {
    const { reference, secret: first } = await created();
    const { secret: second, endpoint } = await webhooks.endpointRpc.RotateSecret(
      { ...reference, endOld: false },
      call,
    );
    expect(endpoint?.oldSecretEndsAtUnixMs).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const both = await delivered();
    verified(first, both);
    verified(second, both);
    const { secret: third } = await webhooks.endpointRpc.RotateSecret({ ...reference, endOld: true }, call);
    const last = await delivered();
    verified(third, last);
    for (const old of [first, second]) expect(() => verified(old, last)).toThrow('signature');
    const revealed = await webhooks.endpointRpc.RevealSecret(reference, call);
    expect(revealed).toEqual({
      secret: third,
      publicKey: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('is not stored in plain text', async () => {
    const { secret } = await created();
    await delivered();
    const rows = await databaseRows(platform.databases.webhook ?? '');
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
  });
});

describe('deliveries', () => {
  test('are listed newest first, page by page, with filters', async () => {
    const { endpointId } = await created();
    for (let i = 0; i < 3; i++) await delivered();
    await expectEventually(
      async () => {
        const { deliveries } = await webhooks.deliveries(owner, { statuses: ['DELIVERY_STATUS_DELIVERED'] });
        expect(deliveries).toHaveLength(3);
      },
      { withinMs: 5_000 },
    );
    const first = await webhooks.deliveries(owner, { limit: 2, endpointId });
    const second = await webhooks.deliveries(owner, { limit: 2, endpointId, cursor: first.nextCursor });
    const all = [...first.deliveries, ...second.deliveries];
    expect(second.nextCursor).toBe('');
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    const times = all.map(({ createdAtUnixMs }) => createdAtUnixMs);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const count = async (filter: object) => (await webhooks.deliveries(owner, filter)).deliveries.length;
    expect(await count({ types: ['order.paid'] })).toBe(0);
    expect(await count({ types: ['order.created'] })).toBe(3);
    expect(await count({ statuses: ['DELIVERY_STATUS_FAILED', 'DELIVERY_STATUS_PENDING'] })).toBe(0);
    expect(await count({ sinceUnixMs: times[1] })).toBe(2);
    expect(await count({ untilUnixMs: times[1] })).toBe(1);
    await expect(webhooks.deliveries(owner, { cursor: 'nonsense' })).rejects.toMatchObject({
      kind: 'invalid_argument',
    });
  });

  test('older than 30 days are deleted with their attempts and bodies', async () => {
    const { endpointId } = await created();
    await delivered();
    await expectEventually(
      async () => {
        await sql(`UPDATE deliveries SET created_at = now() - interval '31 days' WHERE endpoint_id = $1`, [
          endpointId,
        ]);
        await sql(`UPDATE messages SET created_at = now() - interval '31 days' WHERE business_id = $1`, [
          owner.businessId,
        ]);
        const rows = await sql('SELECT event_id FROM messages WHERE business_id = $1', [owner.businessId]);
        expect(rows).toEqual([]);
      },
      { withinMs: 5_000 },
    );
  });
});

test('withdrawn deliveries keep their bodies for 30 days after the withdrawal, and pending ones keep theirs', async () => {
  const { endpointId } = await created();
  await delivered();
  await delivered();
  await delivered();
  const left = async () => {
    const rows = await sql('SELECT id FROM deliveries WHERE endpoint_id = $1 ORDER BY id', [endpointId]);
    return rows.map(({ id }) => id);
  };
  // The receiver has it before its response is stored.
  const states = () => sql('SELECT status FROM deliveries WHERE endpoint_id = $1', [endpointId]);
  const stored = Array(3).fill({ status: 'delivered' });
  await expectEventually(async () => expect(await states()).toEqual(stored), { withinMs: 10_000 });
  const [kept, pending] = await left();
  // In one statement: a purge between two would take the one that waits.
  await sql(
    `UPDATE deliveries SET created_at = now() - interval '31 days',
       status = (CASE id WHEN $3 THEN 'pending' ELSE 'withdrawn' END)::delivery_status,
       next_attempt_at = CASE id WHEN $3 THEN now() + interval '1 day' END,
       finished_at = CASE id WHEN $2 THEN now() - interval '1 day' WHEN $3 THEN NULL ELSE now() - interval '31 days' END
     WHERE endpoint_id = $1`,
    [endpointId, kept, pending],
  );
  const month = "now() - interval '31 days'";
  await sql(`UPDATE messages SET created_at = ${month} WHERE business_id = $1`, [owner.businessId]);
  const bodies = () => sql('SELECT event_id FROM messages WHERE business_id = $1', [owner.businessId]);
  await expectEventually(async () => expect(await bodies()).toHaveLength(2), { withinMs: 5_000 });
  expect(await left()).toEqual([kept, pending]);
});

describe('an attempt that fails', () => {
  test.each([429, 503])('with %i and Retry-After is not repeated before that time', async (status) => {
    await created();
    receiver.respond(() => ({ status, headers: { 'Retry-After': '7200' } }));
    await delivered();
    await expectEventually(
      async () => {
        const [delivery] = (await webhooks.deliveries(owner)).deliveries;
        expect(delivery).toMatchObject({ status: 'DELIVERY_STATUS_PENDING', attempts: 1 });
        const waitMs = (delivery?.nextAttemptAtUnixMs ?? 0) - (delivery?.createdAtUnixMs ?? 0);
        expect(waitMs).toBeGreaterThan(7_200_000);
        expect(waitMs).toBeLessThan(1.2 * 7_200_000);
      },
      { withinMs: 5_000 },
    );
  });

  test('is not repeated once its endpoint is deleted', async () => {
    const { reference, endpointId } = await created();
    receiver.respond(() => 500);
    const before = receiver.received.length;
    await delivered();
    await webhooks.endpointRpc.DeleteEndpoint(reference, call);
    const left = () => sql('SELECT id FROM deliveries WHERE endpoint_id = $1', [endpointId]);
    await expectEventually(async () => expect(await left()).toEqual([]), { withinMs: 5_000 });
    expect(receiver.received).toHaveLength(before + 1);
  });
});

test('a webhook-service that is stopped waits for attempts in flight and stores their results', async () => {
  const { reference } = await created();
  let respond: (status: number) => void = () => undefined;
  receiver.respond(() => new Promise((resolve) => (respond = resolve)));
  await delivered();
  const [service] = platform.webhooks;
  const stopped = service?.stop();
  // The response comes once the service is on its way to its end.
  await expectEventually(
    async () => expect((await request(service?.ports.ops ?? 0, 'GET', '/readyz')).status).toBe(503),
    { withinMs: 5_000 },
  );
  respond(204);
  expect(await stopped).toMatchObject({ code: 0 });
  const rows = await sql('SELECT status::text FROM deliveries WHERE endpoint_id = $1', [
    reference.endpointId,
  ]);
  expect(rows).toEqual([{ status: 'delivered' }]);
  await service?.start();
  await expectEventually(() => webhooks.endpointRpc.ListEndpoints({ owner }, call), { withinMs: 5_000 });
});

test('endpoints that never respond do not hold up another one', async () => {
  const dead = await startWebhookReceiver();
  dead.respond(() => 'never');
  const keys: string[] = [];
  for (let i = 0; i < 10; i++) {
    const businessId = await platform.createVerifiedBusiness('shop');
    keys.push((await platform.createKey({ businessId })).keyString);
    const deadOwner = { businessId, applicationId: '' };
    await Promise.all(Array.from({ length: 5 }, () => create({ owner: deadOwner, url: dead.url })));
  }
  await created();
  const order = (each: string) => makeOrder(platform, each);
  await Promise.all([...keys, ...keys].map(order));
  await awaitReceived(dead, 50, 10_000);
  const before = receiver.received.length;
  await Promise.all(Array.from({ length: 20 }, () => order(key)));
  await awaitReceived(receiver, before + 20);
  // Before the first of the others had ended: until its first success, an endpoint has one attempt in flight.
  expect(dead.received).toHaveLength(50);
  await dead.close();
});
