import { afterEach, describe, expect, test } from '@jest/globals';
import { orderBody, startBusinessPlatform } from '../../harness/business-platform.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { request } from '../../harness/http-request.ts';
import { startPostgres } from '../../harness/postgres.ts';
import { running } from '../../harness/running.ts';

const postgres = running(startPostgres);
const platform = running(async () =>
  startBusinessPlatform({ strictTimes: true, databaseUrl: await postgres.createDatabase() }),
);
afterEach(async () => {
  postgres.thaw();
  await postgres.start();
});

const calls: readonly [string, string, unknown?][] = [
  ['GET', '/businesses/me'],
  ['GET', '/order'],
  ['POST', '/order', orderBody],
];

const opsPort = () => platform.services[0]?.ports.ops ?? 0;
const readiness = async () => (await request(opsPort(), 'GET', '/readyz')).status;

async function expectUnavailable(): Promise<void> {
  for (const [method, path, body] of calls) {
    const responses = await Promise.all(
      Array.from({ length: 15 }, () => platform.call(method, path, { body })),
    );
    for (const { status, text, headers } of responses) {
      expect([method, path, status, headers['retry-after'], text]).toEqual([
        method,
        path,
        503,
        '1',
        '{"error":"the service is temporarily unavailable","status":"Service Unavailable","code":503}',
      ]);
    }
  }
  await expect(
    platform.businesses.businessRpc.GetBusiness({ businessId: platform.businessId }, { deadlineMs: 30_000 }),
  ).rejects.toMatchObject({ kind: 'unavailable', reason: 'database_unavailable' });
  expect(await readiness()).toBe(503);
  expect((await request(opsPort(), 'GET', '/healthz')).status).toBe(200);
}

async function expectRecovery(): Promise<void> {
  await expectEventually(
    async () => {
      for (const [method, path, body] of calls) {
        expect([path, (await platform.call(method, path, { body })).status]).toEqual([
          path,
          body ? 201 : 200,
        ]);
      }
      expect(await readiness()).toBe(200);
    },
    { withinMs: 10_000 },
  );
  // More than there are connections, so that each of them is used.
  await expectEventually(
    async () => {
      const asked = Array.from({ length: 20 }, () => platform.call('GET', '/businesses/me'));
      expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    },
    { withinMs: 10_000 },
  );
}

describe('PostgreSQL', () => {
  test('stopped: 503, and back without a restart', async () => {
    await postgres.stop();
    await expectUnavailable();
    await postgres.start();
    await expectRecovery();
  });

  test('frozen during writes: acknowledged writes are stored, without gaps', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `freeze-${i}`);
    const post = (key: string) =>
      platform.call('POST', '/order', { body: orderBody, headers: { 'Idempotency-Key': key } });
    const statuses = new Set<number>();
    const postFirst = async (key: string) => {
      const response = await post(key);
      statuses.add(response.status);
      return response;
    };
    // The first ten are stored; the last ones are sent after the loss, for the others may all be quicker than it.
    const stored = await Promise.all(keys.slice(0, 10).map(postFirst));
    expect(statuses).toEqual(new Set([201]));
    const racing = keys.slice(10, 50).map(postFirst);
    await Promise.race(racing);
    postgres.freeze();
    const lost = await Promise.all(keys.slice(50).map(postFirst));
    expect(new Set(lost.map(({ status }) => status))).toEqual(new Set([503]));
    const first = [...stored, ...(await Promise.all(racing)), ...lost];
    expect(statuses).toEqual(new Set([201, 503]));
    postgres.thaw();
    // One after the other: all at once, they wait longer for a connection than they may on a busy machine.
    for (const [i, key] of keys.entries()) {
      const again = await expectEventually(
        async () => {
          const response = await post(key);
          expect(response.status).toBe(201);
          return response;
        },
        { withinMs: 15_000 },
      );
      if (first[i]?.status === 201) expect(again.text).toBe(first[i].text);
    }
    const [counts] = await platform.sql<{
      keys: number;
      orders: number;
      top: number;
      events: number;
      last: number;
    }>(
      `SELECT (SELECT count(*) FROM idempotency_keys WHERE key LIKE 'freeze-%')::int AS keys,
              (SELECT count(*) FROM orders)::int AS orders,
              (SELECT max(number) - 1000 FROM orders)::int AS top,
              (SELECT count(*) FROM events)::int AS events,
              (SELECT max(sequence) FROM events)::int AS last`,
    );
    expect(counts?.keys).toBe(60);
    expect(counts?.orders).toBe(counts?.top);
    expect(counts?.events).toBe(counts?.last);
  });
});
