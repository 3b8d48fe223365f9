import { fileURLToPath } from 'node:url';
import { Client } from '@business-api/client';
import { expect, test } from '@jest/globals';
import { type Child, startChild } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { orderBody } from '../harness/business-platform.ts';
import { type FeedEvent, readFeed } from '../harness/event-feed.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startPlatform } from '../harness/platform.ts';
import { createDatabase, query, startPostgres } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { connectWebhooks } from '../harness/webhooks.ts';
import { startLossyDeliveries } from './client-follower/lossy-deliveries.ts';

/*
 * Promise: what a Follower has taken equals the feed, each event once and in order, whichever deliveries are lost, doubled or
 * late, and whichever process of both sides is killed. Two receivers share one table, as during a deployment.
 */

// A crash must keep what was committed.
const postgres = running(() => startPostgres({ synchronous_commit: 'on' }));
const platform = running(() =>
  startPlatform({ webhooks: 1, businesses: 2, createDatabase: postgres.createDatabase }),
);
const webhooks = running(() => connectWebhooks(platform));

const program = fileURLToPath(new URL('client-follower/receiver.ts', import.meta.url));
const chaosMs = 40_000;
/** It goes on until so many processes were killed, and on a slow machine until there is enough to compare. */
const leastKills = Number(process.env.FOLLOWER_KILLS ?? 20);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A receiver as a process that can be killed and started again. */
class Receiver {
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | undefined;

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.#env = { ...env, PORT: String(port) };
  }

  async start(): Promise<void> {
    const { newLogFile, records } = runDirectory();
    const args = ['--disable-warning=ExperimentalWarning', program];
    const options = { args, env: this.#env, logFile: newLogFile('follower'), records };
    this.#child = await startChild({ name: 'follower', command: process.execPath, ...options });
  }

  isRunning(): boolean {
    return this.#child?.isRunning() ?? false;
  }

  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL', 1_000);
  }
}

test('the table of a receiver equals the feed, whatever is lost, doubled, late or killed', async () => {
  const businessId = await platform.createVerifiedBusiness('followed');
  const { keyString: key } = await platform.createKey({ businessId });
  const database = await createDatabase();
  await query(database, 'CREATE TABLE position (cursor text)');
  await query(database, 'INSERT INTO position VALUES (NULL)');
  await query(database, 'CREATE TABLE taken (n bigserial, id text, sequence int, body jsonb)');

  const ports = [await freePort(), await freePort()];
  const targets = ports.map((port) => `http://127.0.0.1:${port}/hook`);
  const deliveries = await startLossyDeliveries(targets);
  const { secret } = await webhooks.createEndpoint({ businessId, applicationId: '' }, deliveries.url, [
    'order.created',
    'order.paid',
  ]);
  const env = { BASE_URL: platform.publicUrl, API_KEY: key, DATABASE_URL: database, WEBHOOK_SECRET: secret };
  const receivers = ports.map((port) => new Receiver(port, env));
  for (const receiver of receivers) await receiver.start();

  const end = performance.now() + chaosMs;
  let kills = 0;
  let orders = 0;
  const isOver = () => performance.now() > end && orders > 20 && kills >= leastKills;
  const client = new Client({ baseUrl: platform.publicUrl, credential: key, retries: 10 });
  const trade = async () => {
    while (!isOver()) {
      const { data } = await client.request('POST /v2/order', { body: orderBody });
      orders++;
      // It may be lost with a process that is killed: whether it happened is in the feed.
      const paid = { path: { id: data.id }, body: { status: 'paid' } } as const;
      await client.request('PATCH /v2/order/{id}', paid).catch(() => undefined);
      await pause(100);
    }
  };
  const killReceivers = async () => {
    while (!isOver()) {
      for (const receiver of receivers) {
        await pause(200 + Math.random() * 1_000);
        await receiver.kill();
        kills++;
        await receiver.start();
      }
    }
  };
  const killServices = async () => {
    const { webhooks, businesses, identities, gateways } = platform;
    const services = [...webhooks, ...businesses, ...identities, ...gateways];
    for (let turn = 0; !isOver(); turn++) {
      const service = services[turn % services.length];
      await pause(500 + Math.random() * 1_000);
      await service?.kill();
      kills++;
      await service?.start();
    }
  };
  await Promise.all([trade(), trade(), killReceivers(), killServices()]);

  const get = (text: string) => platform.request(0, 'GET', `/v2/events?${text}`, { key });
  let events: FeedEvent[] = [];
  await expectEventually(
    async () => {
      ({ events } = await readFeed(get, 'limit=100'));
      const taken = await query(database, 'SELECT id, sequence, body FROM taken ORDER BY n');
      expect(taken.map(({ body }) => body)).toEqual(events);
    },
    { withinMs: 60_000, everyMs: 500 },
  );
  const created = events.filter(({ type }) => type === 'order.created');
  expect(created).toHaveLength(orders);
  for (const count of Object.values(deliveries.fates)) expect(count).toBeGreaterThan(0);
  expect(receivers.map((receiver) => receiver.isRunning())).toEqual([true, true]);
  process.stderr.write(`${kills} kills, ${events.length} events, ${JSON.stringify(deliveries.fates)}\n`);
  for (const receiver of receivers) await receiver.kill();
  await deliveries.close();
});
