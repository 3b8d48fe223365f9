import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { type InjectingProxy, startInjectingProxy } from '../harness/injecting-proxy.ts';
import { strictRedis } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { createDatabase } from '../harness/postgres.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import { through } from '../harness/tcp-proxy.ts';

/*
 * Promise: a malformed or unexpected message of Redis or PostgreSQL costs the connection it came on. No service ends, and
 * each works again afterwards. Not held: a null of Redis that no command asked for, which ioredis throws at the process.
 */

let redis: TestRedis;
/** Of each service its own, so that each gets the bytes. */
const toPostgres: InjectingProxy[] = [];
const toRedis: InjectingProxy[] = [];
let platform: Platform;
beforeAll(async () => {
  redis = await startRedis();
  const proxied = async (proxies: InjectingProxy[], serverUrl: string) => {
    const proxy = await startInjectingProxy(Number(new URL(serverUrl).port));
    proxies.push(proxy);
    return through(proxy, serverUrl);
  };
  const redisEnv = async () => ({ REDIS_URL: await proxied(toRedis, redis.url) });
  platform = await startPlatform({
    redis: false,
    webhooks: 1,
    createDatabase: async (owner) => proxied(toPostgres, await createDatabase(owner)),
    gatewayEnv: { ...strictRedis, ...(await redisEnv()) },
    identityEnv: await redisEnv(),
  });
});
afterAll(async () => {
  await platform.close();
  await Promise.all([...toRedis, ...toPostgres].map((proxy) => proxy.close()));
  await redis.close();
});

const services = () => [
  ...platform.gateways,
  ...platform.identities,
  ...platform.businesses,
  ...platform.webhooks,
];

/** Lets connections get the bytes until so many have got them, of each service some, then every service has to work. */
async function inject(
  proxies: readonly InjectingProxy[],
  count: number,
  marker: string,
  bytes: string,
): Promise<void> {
  const pids = services().map(({ pid }) => pid);
  for (const proxy of proxies) proxy.injectAfter(marker, bytes);
  const enough = expectEventually(
    async () => {
      // New connections begin where there is work.
      await Promise.allSettled([platform.createKey(), platform.createVerifiedBusiness('other')]);
      const counts = proxies.map((proxy) => proxy.injectedCount());
      const sum = counts.reduce((all, each) => all + each, 0);
      if (sum < count || counts.includes(0)) throw new Error(`${counts} connections got the bytes`);
    },
    { withinMs: 15_000 },
  );
  await enough.finally(() => {
    for (const proxy of proxies) proxy.stop();
  });
  await expectEventually(everythingWorks, { withinMs: 10_000 });
  expect(services().map(({ isRunning }) => isRunning())).toEqual(pids.map(() => true));
  expect(services().map(({ pid }) => pid)).toEqual(pids);
}

async function everythingWorks(): Promise<void> {
  const key = await platform.createKey();
  const ask = () => platform.request(0, 'GET', '/v2/order', { key: key.keyString });
  expect((await ask()).status).toBe(200);
  expect(await platform.deleteKey(key)).toBe('confirmed');
  expect((await ask()).status).toBe(401);
  for (const { ports } of services())
    expect((await request(ports.ops ?? 0, 'GET', '/readyz')).status).toBe(200);
}

/** Two of the gateway, one of identity-service. */
const redisConnections = 3;

test.each([
  ['a reply that was not asked for', '+OK\r\n'],
  ['a reply of no known type', '\x00\xffnot redis\r\n'],
  ['an array that never ends', '*9999999\r\n'],
])('the platform survives Redis with %s', async (_, bytes) =>
  inject(toRedis, redisConnections, '\r\n', bytes),
);

/** ReadyForQuery. */
const ready = 'Z\x00\x00\x00\x05I';

describe('the platform survives a PostgreSQL that', () => {
  test.each([
    ['ends the session as soon as it began', fatal('57P01', 'terminating connection')],
    ['sends a message with a wrong length', 'D\x00\x00\x00\x0a\x00\x01\x7f\xff\xff\xff'],
    ['asks for a password once more', 'R\x00\x00\x00\x08\x00\x00\x7f\xff'],
    ['sends a message of no known type', '\x01\x00\x00\x00\x04'],
  ])('%s', async (_, bytes) => inject(toPostgres, 12, ready, bytes));
});

/** ErrorResponse. */
function fatal(code: string, text: string): string {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`;
  return `E\x00\x00\x00${String.fromCharCode(fields.length + 4)}${fields}`;
}
