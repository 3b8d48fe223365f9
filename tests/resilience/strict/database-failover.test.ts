import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BusinessPlatform, orderBody, startBusinessPlatform } from '../../harness/business-platform.ts';
import { expectEventually } from '../../harness/expect-eventually.ts';
import { createDatabase } from '../../harness/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../harness/tcp-proxy.ts';

let proxy: TcpProxy;
let platform: BusinessPlatform;
beforeAll(async () => {
  const url = new URL(await createDatabase('business-service'));
  proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  platform = await startBusinessPlatform({ databaseUrl: url.href, strictTimes: true });
});
afterAll(async () => {
  await platform.close();
  await proxy.close();
});

const post = () => platform.call('POST', '/order', { body: orderBody });
const many = (count: number, run: () => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: count }, run));

/** On a busy machine a service that has just started may need longer for ten orders than a request waits for a connection. */
const expectSuccess = () =>
  expectEventually(
    async () => expect(new Set((await many(10, post)).map(({ status }) => status))).toEqual(new Set([201])),
    { withinMs: 12_000 },
  );

test('connections that stay silent permanently, under writes, are closed and replaced', async () => {
  await expectSuccess();
  const running = many(40, post);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(proxy.silence()).toBeGreaterThan(5);
  for (const { status } of await running) expect([201, 503]).toContain(status);
  await expectSuccess();
  // No request uses them now, so the next one gets such a connection for certain.
  expect(proxy.silence()).toBeGreaterThan(0);
  expect((await post()).status).toBe(503);
  await expectSuccess();
  const [orders] = await platform.sql<{ count: number; span: number }>(
    'SELECT count(*)::int AS count, (max(number) - min(number) + 1)::int AS span FROM orders',
  );
  expect(orders?.count).toBe(orders?.span);
  const [events] = await platform.sql<{ created: number; count: number; last: number }>(
    `SELECT count(*) FILTER (WHERE type = 'order.created')::int AS created, count(*)::int AS count,
            max(sequence)::int AS last FROM events`,
  );
  expect(events?.count).toBe(events?.last);
  expect(events?.created).toBe(orders?.count);
});
