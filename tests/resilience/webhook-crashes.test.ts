import { beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { startPlatform } from '../harness/platform.ts';
import { query, startPostgres } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, ordersOf } from '../harness/webhooks.ts';

/*
 * Promise: an event that is committed is delivered, whichever process is killed at whichever step of its way. Every
 * crash has an endpoint of its own; what a crash leaves is sent while the next ones happen. WEBHOOK_CRASHES=100 repeats
 * the steps so often.
 */

// A crash must keep what was committed. The machine goes on, so nothing has to reach its disk.
const postgres = running(() => startPostgres({ synchronous_commit: 'on' }));
const platform = running(() => startPlatform({ webhooks: 1, createDatabase: postgres.createDatabase }));
const webhooks = running(() => connectWebhooks(platform));
let database: string;
beforeAll(async () => {
  database = platform.databases.webhook ?? '';
});

/** Orders that are made for one crash. */
const ordersPerCrash = 3;

interface Round {
  readonly receiver: WebhookReceiver;
  readonly endpointId: string;
  /** Makes the orders; their identifiers are kept. */
  order(): Promise<void>;
}

const killed = (services: readonly TestService[]) => Promise.all(services.map((service) => service.kill()));
const restarted = async (services: readonly TestService[]) => {
  await killed(services);
  await Promise.all(services.map((service) => service.start()));
};
const untilDeliveries = (endpointId: string, condition: string) =>
  expectEventually(
    async () => {
      const text = `SELECT id FROM deliveries WHERE endpoint_id = $1 AND ${condition}`;
      expect(await query(database, text, [endpointId])).not.toEqual([]);
    },
    { withinMs: 5_000, everyMs: 20 },
  );
/** Waits until a statement that begins so waits for a lock. */
const untilHeld = (text: string) =>
  expectEventually(
    async () => {
      const held = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`;
      expect(await query(database, held, [`%${text}%`])).not.toEqual([]);
    },
    { withinMs: 5_000, everyMs: 20 },
  );

/** Crashes by the step at which they happen. */
const crashes: Readonly<Record<string, (round: Round) => Promise<unknown>>> = {
  'read, not stored': async ({ order }) => {
    const messages = await holdTable(database, 'messages');
    await order();
    await untilHeld('INSERT INTO messages');
    await killed(platform.webhooks);
    await messages.release();
    await restarted(platform.webhooks);
  },
  'stored, not claimed': async ({ order, endpointId }) => {
    const jobs = await holdTable(database, 'pgboss.job');
    await order();
    await untilDeliveries(endpointId, "status = 'pending'");
    await killed(platform.webhooks);
    // PostgreSQL would otherwise still carry out what they were waiting for: the wake.
    await query(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await jobs.release();
    await restarted(platform.webhooks);
  },
  'claimed, not sent': async ({ order, endpointId }) => {
    const jobs = await holdTable(database, 'pgboss.job');
    await order();
    await untilDeliveries(endpointId, "status = 'pending'");
    await killed(platform.identities);
    await jobs.release();
    await expectEventually(
      async () => {
        const begun = 'SELECT id FROM endpoints WHERE id = $1 AND turn IS NOT NULL';
        expect(await query(database, begun, [endpointId])).not.toEqual([]);
      },
      { withinMs: 5_000, everyMs: 20 },
    );
    await restarted([...platform.webhooks, ...platform.identities]);
  },
  'sent, without a response': async ({ order, receiver }) => {
    receiver.respond(() => 'never');
    await order();
    await awaitReceived(receiver, 1);
    await killed(platform.webhooks);
    receiver.respond(() => 204);
    await restarted(platform.webhooks);
  },
  'delivered, not marked': async ({ order }) => {
    const attempts = await holdTable(database, 'attempts');
    await order();
    await untilHeld('WITH result AS');
    await killed(platform.webhooks);
    await attempts.release();
    await restarted(platform.webhooks);
  },
  marked: async ({ order, endpointId }) => {
    await order();
    await untilDeliveries(endpointId, "status = 'delivered'");
    await restarted(platform.webhooks);
  },
  'at any moment': async ({ order }) => {
    const ordered = order();
    await killed(platform.webhooks);
    await Promise.all([ordered, restarted(platform.webhooks)]);
  },
  'PostgreSQL, with attempts in flight': async ({ order, receiver }) => {
    let respond = () => {};
    const isBack = new Promise<void>((resolve) => {
      respond = resolve;
    });
    receiver.respond(async () => {
      await isBack;
      return 204;
    });
    await order();
    await awaitReceived(receiver, 1);
    await postgres.kill();
    respond();
    await postgres.start();
  },
  'identity-service': async ({ order }) => {
    await order();
    await restarted(platform.identities);
  },
  'business-service': async ({ order }) => {
    await order();
    await restarted(platform.businesses);
  },
};

test('every event arrives, whatever is killed, at every step', async () => {
  const steps = Object.values(crashes);
  const count = Number(process.env.WEBHOOK_CRASHES || steps.length);
  const made: string[] = [];
  const receivers: WebhookReceiver[] = [];
  for (let index = 0; index < count; index++) {
    const receiver = await startWebhookReceiver();
    receivers.push(receiver);
    await steps[index % steps.length]?.(await newRound(receiver, made));
  }
  await expectEventually(
    async () => {
      const states = 'SELECT status::text, count(*)::int FROM deliveries GROUP BY status';
      expect(await query(database, states)).toEqual([{ status: 'delivered', count: made.length }]);
    },
    { withinMs: 20_000 },
  );
  const arrived = receivers.flatMap(ordersOf);
  expect([...new Set(arrived)].sort()).toEqual(made.sort());
  const again = arrived.length - made.length;
  process.stderr.write(`${count} crashes, ${made.length} events, ${again} sent again\n`);
  await Promise.all(receivers.map((receiver) => receiver.close()));
}, 1_800_000);

/** A business with an endpoint, once every part is there again. */
async function newRound(receiver: WebhookReceiver, made: string[]): Promise<Round> {
  const { key, endpointId } = await expectEventually(
    async () => {
      const owner = { businessId: await platform.createVerifiedBusiness('shop'), applicationId: '' };
      const { keyString } = await platform.createKey({ businessId: owner.businessId });
      const { id } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']);
      return { key: keyString, endpointId: id };
    },
    { withinMs: 10_000 },
  );
  // The gateway knows the key from now on.
  await expectEventually(
    async () => expect((await platform.request(0, 'GET', '/v2/order', { key })).status).toBe(200),
    { withinMs: 5_000 },
  );
  return {
    receiver,
    endpointId,
    order: async () => {
      const orders = Array.from({ length: ordersPerCrash }, () => makeOrder(platform, key));
      made.push(...(await Promise.all(orders)));
    },
  };
}
