// `npm run bench:latency`: response times while a part is lost, and whether a response time tells a secret.
// Needs an idle machine; exits with 1 when a target is not reached.
import { createBrowser } from '../harness/browser.ts';
import { startLoad } from '../harness/load.ts';
import { oauthClient } from '../harness/oauth.ts';
import { frozen, type Outage, type Part, stopped } from '../harness/outages.ts';
import { signUp } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { startPostgres } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';
import { atMost, isReached, type Target, targetTable } from './table.ts';

const path = '/v2/businesses/me';
const [remembering, asking] = [0, 1];
const rate = 50;
const forMs = 3_000;
/** Milliseconds after which an outage is detected. */
const settleMs = 200;

interface Case {
  readonly name: string;
  readonly parts: (platform: Platform) => readonly Part[];
  readonly gateway: number;
  /** Whether the credential has been used before. */
  readonly isWarm: boolean;
  /** Milliseconds for the median, and for the slowest response. */
  readonly limits: readonly [number, number];
}

const redisOf = ({ redis }: Platform) => (redis === undefined ? [] : [redis]);
const cases: readonly Case[] = [
  { name: 'Redis', parts: redisOf, gateway: remembering, isWarm: true, limits: [50, 350] },
  { name: 'Redis', parts: redisOf, gateway: asking, isWarm: true, limits: [50, 350] },
  {
    name: 'one identity-service',
    parts: ({ identities }) => identities.slice(0, 1),
    gateway: asking,
    isWarm: true,
    limits: [150, 600],
  },
  {
    name: 'every identity-service',
    parts: ({ identities }) => identities,
    gateway: remembering,
    isWarm: false,
    limits: [300, 900],
  },
];

async function measureOutage(platform: Platform, lost: Case, outage: Outage): Promise<Target[]> {
  const { keyString: key } = await platform.createKey();
  if (lost.isWarm) await platform.request(lost.gateway, 'GET', path, { key });
  const parts = lost.parts(platform);
  await Promise.all(parts.map(outage.begin));
  const ports = [platform.gatewayPorts[lost.gateway] ?? 0];
  const load = startLoad({ ports, rate, path, key, maxInFlight: Number.POSITIVE_INFINITY });
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const { latency } = await load.stop();
  await Promise.all(parts.map(outage.end));
  await new Promise((resolve) => setTimeout(resolve, settleMs * 10));
  const text = `${lost.name} ${outage.name}, gateway ${lost.gateway === asking ? 'without' : 'with'} a cache`;
  return [
    atMost(`${text}: median ms`, latency(0.5), lost.limits[0]),
    atMost(`${text}: slowest ms`, latency(1), lost.limits[1]),
  ];
}

/** Ratio of the slowest median to the fastest one: the information in the response time. */
async function measureEqualTimes(platform: Platform): Promise<Target[]> {
  const ratio = (medians: readonly number[]) => Math.max(...medians) / Math.min(...medians);
  const owner = await signUp(platform);
  const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
  const password = 'not my password at all';
  await browser.open('/login');
  const login = await mediansInTurns(25, [
    () => browser.submit('/login', { email: owner.email, password }),
    (round) => browser.submit('/login', { email: `unknown-${round}@people.test`, password }),
  ]);
  await browser.open('/password/forgot');
  const forgot = await mediansInTurns(40, [
    () => browser.submit('/password/forgot', { email: owner.email }),
    (round) => browser.submit('/password/forgot', { email: `unknown-${round}@people.test` }),
  ]);
  const { businessId } = platform;
  const application = await platform.createApplication({ businessId });
  const elsewhere = await platform.createApplication({ businessId, ipWhitelist: ['192.0.2.0/24'] });
  const [client, there] = [oauthClient(platform, application), oauthClient(platform, elsewhere)];
  const tokenPath = '/v2/oauth/token';
  const token = await mediansInTurns(120, [
    () => client.post(tokenPath, { grant_type: 'x', client_secret: 'cs_wrong' }),
    () => client.post(tokenPath, { grant_type: 'x', client_id: 'app_unknown' }),
    () => there.post(tokenPath, { grant_type: 'x' }),
  ]);
  return [
    atMost('login: known and unknown address', ratio(login), 3),
    atMost('password reset: known and unknown address', ratio(forgot), 1.5),
    atMost('token: wrong secret, unknown client, wrong address', ratio(token), 1.5),
  ];
}

const run = await beginRun();
try {
  const postgres = await startPostgres();
  const platform = await startPlatform({
    strictTimes: true,
    gateways: 2,
    identities: 2,
    createDatabase: postgres.createDatabase,
    gatewayEnv: (index) => (index === asking ? { ANSWER_CACHE: 'off' } : {}),
  });
  const targets = await measureEqualTimes(platform);
  for (const lost of cases) {
    for (const outage of [stopped, frozen]) targets.push(...(await measureOutage(platform, lost, outage)));
  }
  process.stdout.write(`${targetTable(targets)}\n`);
  process.exitCode = targets.every(isReached) ? 0 : 1;
  await platform.close();
  await postgres.close();
} finally {
  await run.end();
}

/** The middle one of some measurements. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Measures tasks in turns, so that whatever else the machine does hits all of them alike.
 * @returns the median duration of each in milliseconds
 */
async function mediansInTurns(
  rounds: number,
  tasks: readonly ((round: number) => Promise<unknown>)[],
): Promise<number[]> {
  const durations = tasks.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      const startedAt = performance.now();
      await task(round);
      durations[index]?.push(performance.now() - startedAt);
    }
  }
  return durations.map(median);
}
