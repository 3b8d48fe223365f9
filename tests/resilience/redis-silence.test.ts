import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { metricOf } from '../harness/metrics.ts';
import { strictRedis } from '../harness/patience.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import { startTcpProxy, type TcpProxy, through } from '../harness/tcp-proxy.ts';

/*
 * Promise: Redis may fall silent at any command, also at those with which a connection begins; the services go on, and
 * use Redis again afterwards.
 */

let redis: TestRedis;
let toGateway: TcpProxy;
let toIdentity: TcpProxy;
let platform: Platform;
beforeAll(async () => {
  redis = await startRedis();
  [toGateway, toIdentity] = await Promise.all([startTcpProxy(redis.port), startTcpProxy(redis.port)]);
  platform = await startPlatform({
    redis: false,
    gatewayEnv: { ...strictRedis, REDIS_URL: through(toGateway, redis.url) },
    identityEnv: { REDIS_URL: through(toIdentity, redis.url) },
  });
});
afterAll(async () => {
  await platform.close();
  await Promise.all([toGateway.close(), toIdentity.close()]);
  await redis.close();
});

/** Silences all connections, and new ones at a command, until two of them have been given up, and `during` has ended. */
async function silenceAt(proxy: TcpProxy, command: string, during: () => Promise<unknown>): Promise<void> {
  proxy.silenceAt(command);
  proxy.silence();
  const givenUp = expectEventually(
    () => {
      if (proxy.silencedCount() < 3) throw new Error(`${proxy.silencedCount()} connections fell silent`);
    },
    { withinMs: 15_000 },
  );
  await givenUp.then(during).finally(() => {
    proxy.silenceAt(undefined);
    proxy.resume();
  });
}

const recalls = 'rolling-hour:recall';

const ask = async (keyString: string) => (await platform.me(keyString)).status;

describe('a gateway keeps working during a silence of Redis, and uses it again afterwards', () => {
  test.each(['info', 'subscribe', 'evalsha', 'ping'])('silence at %s', async (command) => {
    const [gateway] = platform.gateways;
    if (gateway === undefined) throw new Error('There is a gateway.');
    const { keyString } = await platform.createKey();
    const { pid } = gateway;
    const works = async () => {
      expect(await ask(keyString)).toBe(200);
      expect((await request(gateway.ports.ops ?? 0, 'GET', '/readyz')).status).toBe(200);
    };
    await silenceAt(toGateway, command, works);
    await works();
    await expectEventually(
      async () => {
        expect(await metricOf(gateway, 'gateway_redis_up')).toBe(1);
        // It hears again what other gateways ask it to give back.
        expect(await redis.command('PUBSUB', 'NUMSUB', recalls)).toEqual([recalls, 1]);
      },
      { withinMs: 10_000 },
    );
    expect(await ask(keyString)).toBe(200);
    expect([gateway.isRunning(), gateway.pid]).toEqual([true, pid]);
  });
});

describe('identity-service keeps running, and confirms revocations again after a', () => {
  test.each(['info', 'eval'])('silence at %s', async (command) => {
    const [identity] = platform.identities;
    const keys = connectCanaryKeys(platform.targets.identity, platform.businessId);
    await silenceAt(toIdentity, command, () => keys.takeKey(command));
    await expectEventually(
      async () => {
        const { keyString } = await keys.takeKey(command);
        expect(await ask(keyString)).toBe(200);
        expect((await keys.takeKey(command)).propagation).toBe('confirmed');
        expect(await ask(keyString)).toBe(401);
      },
      { withinMs: 10_000 },
    );
    expect(identity?.isRunning()).toBe(true);
    keys.disconnect();
  });
});
