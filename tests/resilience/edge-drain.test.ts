import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';
import { scaled } from '../harness/slowness.ts';

/*
 * Behind a balancer that asks every second who is ready, a gateway that is shutting down refuses nothing.
 */

const pollMs = 1_000;

/** Of the gateways: long enough for a poll that a busy machine delays. */
const drainDelayMs = Math.min(scaled(8_000), 10_000);

const platform = running(() =>
  sharedBehind({ gateways: 2, gatewayEnv: { DRAIN_DELAY_MS: `${drainDelayMs}` } }),
);
let key: string;
beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});

/** Sends each request, on a connection of its own, to a gateway that was ready when last asked. */
async function balance(until: Promise<unknown>) {
  let isOver = false;
  void until.then(() => {
    isOver = true;
  });
  const ready = new Set([0, 1]);
  const failures: unknown[] = [];
  let served = 0;
  const poll = async (gateway: number) => {
    while (!isOver) {
      const ops = platform.gateways[gateway]?.ports.ops ?? 0;
      const status = await request(ops, 'GET', '/readyz').then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) ready.add(gateway);
      else ready.delete(gateway);
      await setTimeout(pollMs);
    }
  };
  const send = async () => {
    for (let turn = 0; !isOver; turn++) {
      const targets = [...ready];
      const gateway = targets[turn % targets.length] ?? 0;
      const headers = { Connection: 'close' };
      await platform.request(gateway, 'GET', '/v2/businesses/me', { key, headers }).then(
        ({ status }) => {
          served++;
          if (status !== 200) failures.push(status);
        },
        (error: unknown) => failures.push(error),
      );
      await setTimeout(5);
    }
  };
  await Promise.all([poll(0), poll(1), send(), send(), send(), send()]);
  return { failures, served };
}

test('no request is refused while a gateway shuts down, and its readiness is 503 first', async () => {
  const [first] = platform.gateways;
  const ending = setTimeout(1_200).then(async () => {
    const stopped = first?.stop();
    const ops = first?.ports.ops ?? 0;
    // The signal may come after a request that was sent behind it.
    const isUnready = async () => expect((await request(ops, 'GET', '/readyz')).status).toBe(503);
    await expectEventually(isUnready, { withinMs: 1_000, everyMs: 10 });
    const { status: health } = await request(ops, 'GET', '/healthz');
    const listens = await platform.me(key);
    return { exit: await stopped, health, listens: listens.status };
  });
  const { failures, served } = await balance(ending.then(() => setTimeout(pollMs)));
  expect(await ending).toEqual({ exit: { code: 0, signal: null }, health: 200, listens: 200 });
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
});
