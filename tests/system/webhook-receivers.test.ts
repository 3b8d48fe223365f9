import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { eventsOf } from '../harness/audit-events.ts';
import type { Dashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { call, checkPatience } from '../harness/patience.ts';
import type { TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { newOwner } from '../harness/registered-application.ts';
import {
  type ReceivedWebhook,
  type Reply,
  startWebhookReceiver,
  verified,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, type Webhooks } from '../harness/webhooks.ts';

/*
 * Help for developers of receivers: the check from the dashboard, which grades receivers that are wrong in each way, and the
 * public keys of endpoints.
 */

let platform: Platform;
let webhooks: Webhooks;
let receiver: WebhookReceiver;
let person: TestPerson;
let by: Dashboard;
let path: string;
let secret: string;
beforeAll(async () => {
  // A check takes longer than upstreams of gateways may be silent in production.
  const gatewayEnv = { UPSTREAM_TIMEOUT_MS: '7500' };
  platform = await startPlatform({ webhooks: 1, webhookEnv: checkPatience, gatewayEnv });
  webhooks = connectWebhooks(platform);
  receiver = await startWebhookReceiver();
  ({ person, dashboard: by } = await newOwner(platform));
  const created = await by.own('POST', '/webhook-endpoints', { url: receiver.url });
  const schema = z.object({ endpoint: z.object({ id: z.string() }), secret: z.string() });
  const { endpoint, ...rest } = schema.parse(created.json());
  ({ secret } = rest);
  path = `/webhook-endpoints/${endpoint.id}`;
});
afterAll(async () => {
  webhooks.close();
  await receiver.close();
  await platform.close();
});

const report = z.object({
  probes: z.array(
    z.object({
      kind: z.string(),
      passed: z.boolean(),
      outcome: z.string(),
      status: z.number().nullable(),
      eventId: z.string().nullable(),
    }),
  ),
  findings: z.array(z.string()),
});

/** Checks a receiver that responds so; resolves to the report and what arrived. */
async function check(respond: (webhook: ReceivedWebhook) => Reply | Promise<Reply>) {
  await platform.sql("DELETE FROM throttle_counts WHERE key LIKE 'receiver-check:%'");
  const before = receiver.received.length;
  receiver.respond(respond);
  const response = await by.own('POST', `${path}/check`);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return { ...report.parse(response.json()), arrived: receiver.received.slice(before) };
}

const isGenuine = (webhook: ReceivedWebhook) => {
  try {
    verified(secret, webhook);
    return true;
  } catch {
    return false;
  }
};
const correct = (webhook: ReceivedWebhook) => (isGenuine(webhook) ? 204 : 400);
/** The signature without the timestamp. */
const isSigned = ({ headers, body, id }: ReceivedWebhook) => {
  const at = headers['webhook-timestamp'] ?? '';
  const expected = new Webhook(secret).sign(id, new Date(Number(at) * 1_000), body);
  return headers['webhook-signature']?.split(' ').includes(expected) === true;
};

test('a check sends a correct receiver valid and invalid requests, and has no findings', async () => {
  const { probes, findings, arrived } = await check(correct);
  expect(findings).toEqual([]);
  expect(probes.map(({ kind, passed, status }) => [kind, passed, status])).toEqual([
    ['good', true, 204],
    ['tampered', true, 400],
    ['stale', true, 400],
    ['duplicated', true, 204],
    ['later', true, 204],
    ['earlier', true, 204],
    ['slow_body', true, 204],
  ]);
  expect(arrived.map(({ id }) => id)).toEqual(probes.map(({ eventId }) => eventId));
  expect(arrived.map(isGenuine)).toEqual([true, false, false, true, true, true, true]);
  expect(arrived.map(isSigned)).toEqual([true, false, true, true, true, true, true]);
  const [good, , , duplicated, later, earlier] = arrived;
  expect([duplicated?.id, duplicated?.body]).toEqual([good?.id, good?.body]);
  expect(Number(later?.event.sequence)).toBe(Number(earlier?.event.sequence) + 1);
  expect(new Set(arrived.map(({ id }) => id)).size).toBe(6);
  expect(new Set(arrived.map(({ event }) => event.business))).toEqual(new Set([`biz_${'0'.repeat(20)}`]));
});

describe('a receiver that', () => {
  let seen: Set<string>;
  let last: number;
  const wrong: readonly [string, (webhook: ReceivedWebhook) => Reply | Promise<Reply>, readonly string[]][] =
    [
      ['accepts everything', () => 200, ['tampered_accepted', 'stale_accepted']],
      ['ignores the timestamp', (webhook) => (isSigned(webhook) ? 204 : 400), ['stale_accepted']],
      [
        'fails at a wrong signature',
        (webhook) => (isGenuine(webhook) ? 204 : 500),
        ['tampered_failed', 'stale_failed'],
      ],
      ['refuses every request', () => 401, ['good_refused']],
      ['fails on every request', () => 500, ['good_failed']],
      ['does not respond', () => 'never', ['unreachable']],
      ['redirects', () => ({ status: 302, headers: { Location: '/elsewhere' } }), ['good_refused']],
      [
        'refuses an event that it has seen',
        (webhook) => {
          if (!isGenuine(webhook)) return 400;
          const isNew = !seen.has(webhook.id);
          seen.add(webhook.id);
          return isNew ? 204 : 409;
        },
        ['duplicated_refused'],
      ],
      [
        'refuses an event behind a later one',
        (webhook) => {
          if (!isGenuine(webhook)) return 400;
          const sequence = Number(webhook.event.sequence);
          const isLate = sequence < last;
          last = Math.max(last, sequence);
          return isLate ? 409 : 204;
        },
        ['reordered_refused'],
      ],
    ];

  test.each(wrong)('%s has exactly the expected findings', async (_, respond, expected) => {
    seen = new Set();
    last = 0;
    expect((await check(respond)).findings).toEqual(expected);
  });
});

describe('a check', () => {
  test('is in the audit log, stores no delivery, and does not change the health of the endpoint', async () => {
    const before = await by.own('GET', path);
    await check(() => 500);
    expect((await by.own('GET', path)).json()).toEqual(before.json());
    expect((await by.own('GET', '/webhook-deliveries')).json()).toMatchObject({ deliveries: [] });
    const id = path.split('/').at(-1) ?? '';
    expect(await eventsOf(platform, id)).toContainEqual({
      action: 'webhook_endpoint.checked',
      actor_kind: 'person',
      actor_id: person.id,
    });
  });

  test('runs once at a time, six times a minute, and not for a disabled endpoint', async () => {
    const blocked = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const first = check(async (webhook) => {
      arrived.resolve();
      await blocked.promise;
      return correct(webhook);
    });
    await arrived.promise;
    const second = await by.own('POST', `${path}/check`);
    blocked.resolve();
    expect([second.status, second.json()]).toMatchObject([409, { reason: 'check_running' }]);
    expect((await first).findings).toEqual([]);
    receiver.respond(() => 400);
    const fill = "UPDATE throttle_counts SET count = 2000000000 WHERE key LIKE 'receiver-check:%'";
    // A new minute may begin in between.
    await expectEventually(
      async () => {
        await platform.sql(fill);
        expect((await by.own('POST', `${path}/check`)).status).toBe(429);
      },
      { withinMs: 5_000 },
    );
    await platform.sql("DELETE FROM throttle_counts WHERE key LIKE 'receiver-check:%'");
    await by.own('POST', `${path}/disable`);
    const disabled = await by.own('POST', `${path}/check`);
    await by.own('POST', `${path}/enable`);
    expect([disabled.status, disabled.json()]).toMatchObject([409, { reason: 'endpoint_disabled' }]);
  });

  test('of another business is 404, and nothing is sent while the business is frozen', async () => {
    const other = await newOwner(platform);
    expect((await other.dashboard.own('POST', `${path}/check`)).status).toBe(404);
    await by.own('PUT', '/freeze', { reason: 'a test' });
    const before = receiver.received.length;
    const frozen = await by.own('POST', `${path}/check`);
    await by.own('DELETE', '/freeze');
    expect([frozen.status, frozen.json()]).toMatchObject([409, { reason: 'not_permitted' }]);
    expect(receiver.received).toHaveLength(before);
  });
});

describe('the public keys of an endpoint', () => {
  const keysOf = (endpointId: string, method = 'GET') =>
    platform.request(0, method, `/.well-known/webhook-keys/${endpointId}`);
  const owner = () => ({ businessId: person.businessId, applicationId: '' });
  const checked = () => path.split('/').at(-1) ?? '';

  test('are read without a credential, and verify the v1a signature of a delivery', async () => {
    const response = await keysOf(checked());
    expect([response.status, response.headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    const reference = { owner: owner(), endpointId: checked() };
    const { publicKey } = await webhooks.endpointRpc.RevealSecret(reference, call);
    const { keys } = response.json() as { keys: { x: string }[] };
    expect(keys).toEqual([
      {
        ...{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', public_key: publicKey },
        x: expect.any(String),
        kid: expect.any(String),
      },
    ]);
    receiver.respond(() => 204);
    const before = receiver.received.length;
    expect((await by.own('POST', `${path}/test`, { type: 'order.paid' })).status).toBe(201);
    await awaitReceived(receiver, before + 1);
    const { body = '', headers = {} } = receiver.received[before] ?? {};
    const signature = /v1a,(\S+)/.exec(headers['webhook-signature'] ?? '')?.[1] ?? '';
    const isRight = (text: string) =>
      verify(
        null,
        Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`),
        createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: keys[0]?.x ?? '' }, format: 'jwk' }),
        Buffer.from(signature, 'base64'),
      );
    expect([isRight(body), isRight(`${body} `)]).toEqual([true, false]);
  });

  test('differ between endpoints, and are a 404 once the endpoint is deleted', async () => {
    const { id } = await webhooks.createEndpoint(owner(), receiver.url);
    const keys = await keysOf(id);
    expect([keys.status, keys.text === (await keysOf(checked())).text]).toEqual([200, false]);
    await webhooks.endpointRpc.DeleteEndpoint({ owner: owner(), endpointId: id }, call);
    const gone = await keysOf(id);
    expect([gone.status, gone.text]).toEqual([404, '{"error":"Not found","status":"Not Found","code":404}']);
    expect(gone.headers['cache-control']).toBe('no-store');
    expect((await keysOf(`whe_${'0'.repeat(20)}`)).text).toBe(gone.text);
    expect((await keysOf('whe_1')).text).toBe(gone.text);
    expect((await keysOf(checked(), 'POST')).status).toBe(405);
  });

  test('are not read without limit from one address', async () => {
    const throttled = "key LIKE 'webhook-keys:%'";
    const { identity } = platform.databases;
    // A new minute may begin in between.
    const refused = await expectEventually(
      async () => {
        await keysOf(checked());
        await query(identity, `UPDATE throttle_counts SET count = 2000000000 WHERE ${throttled}`);
        const response = await keysOf(checked());
        expect(response.status).toBe(429);
        return response;
      },
      { withinMs: 5_000 },
    );
    await query(identity, `DELETE FROM throttle_counts WHERE ${throttled}`);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await keysOf(checked())).status).toBe(200);
  });
});
