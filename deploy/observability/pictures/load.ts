import { orderBody } from '../../../tests/harness/business-platform.ts';
import { type Load, startLoad } from '../../../tests/harness/load.ts';
import type { LoadOptions } from '../../../tests/harness/load-request.ts';
import { connect, oauthClient, tokensOf } from '../../../tests/harness/oauth.ts';
import { logIn, signUpVerified, type TestPerson } from '../../../tests/harness/people.ts';
import type { Platform } from '../../../tests/harness/platform.ts';
import { query } from '../../../tests/harness/postgres.ts';
import { refusedBearers } from '../../../tests/harness/refused-bearers.ts';
import { startWebhookReceiver } from '../../../tests/harness/webhook-receiver.ts';
import { connectWebhooks } from '../../../tests/harness/webhooks.ts';

/** A running load. Its webhook receiver can be made to fail. */
export interface MixedLoad {
  /** Responds to webhooks with this status from now on. */
  respondToWebhooks(status: number): void;
  stop(): Promise<void>;
}

const me = '/v2/businesses/me';

/**
 * Starts a mix of what clients, people and receivers do: orders, keys with a limit, refused bearers, refreshes of tokens, logins,
 * revocations, webhooks. About 35 requests per second.
 */
export async function startMixedLoad(platform: Platform): Promise<MixedLoad> {
  const ports = platform.gatewayPorts.slice(0, 2);
  const person = await signUpVerified(platform);
  const [key, limited, refused, accessToken, webhooks] = await Promise.all([
    keyWithLimit(platform, 1_000_000),
    keyWithLimit(platform, 100),
    refusedBearers(platform),
    connectApplication(platform, person),
    receiveWebhooks(platform),
  ]);
  const bearers = inTurn(Object.values(refused));
  const order = JSON.stringify(orderBody);
  const loads = [
    { rate: 14, path: '/v2/order', key },
    {
      rate: 2,
      path: '/v2/order',
      key,
      method: 'POST',
      body: order,
      headers: { 'Content-Type': 'application/json' },
    },
    { rate: 8, path: me, key: accessToken.get },
    { rate: 2, path: me, key: limited },
    { rate: 2, path: me, key: bearers },
    { rate: 0.5, path: '/v2/events?wait=1', key },
    { rate: 1, path: '/docs' },
    { rate: 1, path: '/login' },
    { rate: 0.5, path: '/v2/nothing', key },
  ].map((load: Omit<LoadOptions, 'ports'>): Load => startLoad({ ports, ...load }));
  const loops = [
    every(8_000, accessToken.refresh),
    every(6_000, () => makeAndRevoke(platform)),
    every(2_500, () => logIn(platform, person)),
    every(9_000, () => person.browser.open('/dashboard')),
    every(15_000, () => logIn(platform, { ...person, password: 'not the password' })),
    every(7_000, passTime(platform)),
  ];
  return {
    respondToWebhooks: webhooks.respond,
    stop: async () => {
      for (const stop of loops) stop();
      await Promise.all(loads.map((load) => load.stop()));
      await webhooks.close();
    },
  };
}

async function keyWithLimit(platform: Platform, limit: number): Promise<string> {
  const key = await platform.createKey();
  await platform.setKeyLimit(key, limit);
  return key.keyString;
}

function inTurn(values: readonly string[]): () => string {
  let next = 0;
  return () => values[next++ % values.length] ?? '';
}

/** An application that a person has connected, with its access token and how to get the next one. */
async function connectApplication(platform: Platform, person: TestPerson) {
  const application = await platform.createApplication({ businessId: platform.businessId });
  const client = oauthClient(platform, application);
  let tokens = await connect(platform, person.browser, application);
  return {
    get: () => tokens.accessToken,
    refresh: async () => {
      tokens = tokensOf(await client.refresh(tokens.refreshToken));
    },
  };
}

/** Two endpoints of the demo business: one accepts every webhook, the other responds as it is set to. */
async function receiveWebhooks(platform: Platform) {
  const rpcs = connectWebhooks(platform);
  const receivers = [await startWebhookReceiver(), await startWebhookReceiver()];
  const owner = { businessId: platform.businessId, applicationId: '' };
  for (const { url } of receivers) await rpcs.createEndpoint(owner, url, ['order.created']);
  return {
    respond: (status: number) => receivers[1]?.respond(() => status),
    close: async () => {
      rpcs.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

/** Creates a key, uses it, and ends it. */
async function makeAndRevoke(platform: Platform): Promise<void> {
  const key = await platform.createKey();
  await platform.request(0, 'GET', me, { key: key.keyString });
  await platform.deleteKey(key);
}

/** Moves rows that are kept for days into the past, so that the purge finds some and throttles refuse no login. */
function passTime({ databases }: Platform): () => Promise<void> {
  let days = 2;
  return async () => {
    days += 1;
    const move = (table: string, column: string) =>
      query(databases.identity, `UPDATE ${table} SET ${column} = ${column} - make_interval(days => $1)`, [
        days,
      ]);
    await move('throttle_counts', 'window_start');
    await move('usage_batches', 'received_at');
  };
}

/** Repeats an action, one at a time, until it is stopped. Ignores errors, because outages are intended. */
function every(ms: number, action: () => Promise<unknown>): () => void {
  let running = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    await action().catch(() => undefined);
    running = false;
  }, ms);
  return () => clearInterval(timer);
}
