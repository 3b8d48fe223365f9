import { setTimeout as delay } from 'node:timers/promises';
import { openDashboard } from '../harness/dashboard.ts';
import { makeKey } from '../harness/made-key.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import { type Executed, fileOf, measured, startCounting } from './executed.ts';

/**
 * Of an act, and of the idle time before it: long enough for what follows an act, as reports of the gateway. A round takes no
 * multiple of the period of a job, which would meet the same act in each round.
 */
const lengthMs = 2_800;

/** Of all acts: a job that happens to run beside an act does not run beside it each time. */
const rounds = 3;

const head = ['files / functions', 'gateway', 'identity', 'business', 'webhook', 'all'];

/**
 * Our source files and functions that run for an act, in each round, by service, as rows of a table. Those that also run in
 * idle time are not counted; the end of an act may be late and run in it once.
 */
export async function acts(): Promise<string[][]> {
  const run = await beginRun();
  const platform = await startPlatform({
    webhooks: 1,
    gatewayEnv: measured,
    identityEnv: measured,
    businessEnv: measured,
    webhookEnv: measured,
  });
  try {
    const { gateways, identities, businesses, webhooks } = platform;
    const services = [...gateways, ...identities, ...businesses, ...webhooks];
    const counters = await Promise.all(services.map(startCounting));
    const during = async (act: () => unknown): Promise<Executed[]> => {
      const take = () => Promise.all(counters.map((counter) => counter()));
      await take();
      await Promise.all([act(), delay(lengthMs)]);
      return take();
    };
    const idle: Executed[][] = [];
    const executed = new Map<string, Executed[][]>();
    const steps = await prepareActs(platform);
    await delay(2 * lengthMs);
    for (let round = 0; round < rounds; round++) {
      for (const [name, act] of steps) {
        idle.push(await during(() => undefined));
        executed.set(name, [...(executed.get(name) ?? []), await during(act)]);
      }
    }
    const rows = Array.from(executed, ([name, [first = [], ...others]]) => {
      const own = first.map((functions, service) =>
        [...functions].filter(
          (each) =>
            others.every((other) => other[service]?.has(each)) &&
            idle.filter((other) => other[service]?.has(each)).length < 2,
        ),
      );
      return [name, ...[...own, own.flat()].map(figuresOf)];
    });
    return [head, ...rows];
  } finally {
    await platform.close();
    await run.end();
  }
}

/** A function of service-kit that runs in several services is one. */
const figuresOf = (functions: readonly string[]) =>
  `${new Set(functions.map(fileOf)).size} / ${new Set(functions).size}`;

/** The acts in their order, and what they need, which is not measured. */
async function prepareActs(platform: Platform): Promise<[name: string, act: () => Promise<unknown>][]> {
  const person = await signUpVerified(platform);
  const dashboard = await openDashboard(person, person.browser);
  const application = await platform.createApplication({ businessId: platform.businessId });
  let tokens = await connect(platform, person.browser, application);
  const keys = await Promise.all(Array.from({ length: rounds + 1 }, () => platform.createKey(person)));
  const getOrders = async () => {
    const { status, text } = await platform.request(0, 'GET', '/v2/order', { key: keys[0]?.keyString ?? '' });
    if (status !== 200) throw new Error(text);
  };
  const getOrdersWithNext = () => {
    keys.shift();
    return getOrders();
  };
  // The gateway keeps no authorization from the first request of a business: it has not seen its epoch.
  await getOrders();
  return [
    ['GET /v2/order, first of a key', getOrdersWithNext],
    ['GET /v2/order, again', getOrders],
    [
      'a refresh',
      async () => {
        tokens = tokensOf(await oauthClient(platform, application).refresh(tokens.refreshToken));
      },
    ],
    ['a new API key', () => makeKey(dashboard)],
  ];
}
