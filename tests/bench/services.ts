// What is behind the gateway: Authorize, refreshes beside node-oidc-provider, and a business with a million orders.
// `npm run bench -- services refresh` measures one of these parts.
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { orderBody } from '../harness/business-platform.ts';
import { request } from '../harness/http-request.ts';
import { connect, oauthClient, type Tokens, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';
import type { TestService } from '../harness/service.ts';
import { installPeers } from './peers.ts';
import { pin } from './pin.ts';
import { cpuMsOf } from './process-usage.ts';
import { startScript } from './script.ts';
import { align, atLeast, atMost, type Target, targetTable } from './table.ts';
import { usageOf, usageSince } from './usage.ts';

const seconds = Number(process.env.BENCH_SECONDS || 10);
const orders = Number(process.env.BENCH_ORDERS || 1_000_000);
/** Rounds of each side of a comparison, in turns. */
const rounds = 3;

interface Bench {
  readonly platform: Platform;
  readonly identity: TestService;
}

/** Calls that were made within the time, each worker one after another. */
async function callFor(
  workers: readonly (() => Promise<void>)[],
): Promise<{ readonly calls: number; readonly latencies: readonly number[]; readonly seconds: number }> {
  const startedAt = performance.now();
  const latencies: number[] = [];
  await Promise.all(
    workers.map(async (call) => {
      while (performance.now() - startedAt < seconds * 1_000) {
        const from = performance.now();
        await call();
        latencies.push(performance.now() - from);
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1_000;
  return { calls: latencies.length, latencies, seconds: took };
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

function print(header: readonly string[], ...rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${align([header, ...rows])}\n`);
}

/** Authorize, each call about another key: every one is looked up in PostgreSQL. */
async function measureAuthorize({ platform, identity }: Bench): Promise<Target[]> {
  const keys = await Promise.all(Array.from({ length: 500 }, () => platform.createKey()));
  const target = `ipv4:127.0.0.1:${identity.ports.grpc}`;
  const client = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
  let next = 0;
  const call = async () => {
    const bearer = keys[next++ % keys.length]?.keyString ?? '';
    const { outcome } = await client.rpc.Authorize({
      bearer,
      clientIp: '192.0.2.1',
      requiredScope: 'orders:read',
    });
    if (outcome !== 'OUTCOME_ALLOWED') throw new Error(outcome);
  };
  const workers = Array<typeof call>(64).fill(call);
  await callFor(workers);
  const before = await usageOf(identity, platform.databases.identity);
  const { calls, latencies, seconds: took } = await callFor(workers);
  const used = usageSince(before, await usageOf(identity, platform.databases.identity));
  client.close();
  const perCall = [used.cpuMs, used.databaseCpuMs, used.commits].map((value) => (value / calls).toFixed(3));
  print(
    ['Authorize', 'calls/s', 'p50 ms', 'p99 ms', 'CPU ms', 'CPU ms in PostgreSQL', 'transactions'],
    [
      '64 in flight',
      (calls / took).toFixed(0),
      quantile(latencies, 0.5).toFixed(1),
      quantile(latencies, 0.99).toFixed(1),
      ...perCall,
    ],
  );
  return [atLeast('Authorize calls per second of CPU', (calls * 1_000) / used.cpuMs, 3_000)];
}

/** Refresh tokens of as many connections: 8 businesses with 3 applications. */
async function connections(platform: Platform) {
  const people = await Promise.all(Array.from({ length: 8 }, () => signUpVerified(platform)));
  const publisher = await platform.createVerifiedBusiness('publisher');
  const applications = [];
  for (let index = 0; index < 3; index++) {
    applications.push(await platform.createApplication({ businessId: publisher }));
  }
  const opened: { client: ReturnType<typeof oauthClient>; tokens: Tokens }[] = [];
  for (const { browser } of people) {
    for (const application of applications) {
      const tokens = await connect(platform, browser, application);
      opened.push({ client: oauthClient(platform, application), tokens });
    }
  }
  return opened;
}

/** Refreshes with rotation, every connection one after another, in turns with node-oidc-provider on PostgreSQL. */
async function measureRefresh({ platform, identity }: Bench): Promise<Target[]> {
  const opened = await connections(platform);
  const own = opened.map((connection) => async () => {
    connection.tokens = tokensOf(await connection.client.refresh(connection.tokens.refreshToken));
  });
  if (!installPeers()) throw new Error('node-oidc-provider could not be installed: npm reaches no registry');
  const peer = await startScript('tests/bench/peers/oidc-provider.js', [], {
    DATABASE_URL: await createDatabase(),
    GRANTS: String(opened.length),
  });
  pin('measured', peer.pid);
  const refreshTokens: string[] = (await request(peer.port, 'GET', '/refresh-tokens')).json() as string[];
  const theirs = refreshTokens.map((first) => {
    let refreshToken = first;
    return async () => {
      const fields = {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: 'bench',
        client_secret: 'bench',
      };
      const response = await request(peer.port, 'POST', '/token', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(fields)),
      });
      if (response.status !== 200) throw new Error(response.text);
      refreshToken = (response.json() as { refresh_token: string }).refresh_token;
    };
  });
  const sides = [
    { name: 'identity-service', pid: identity.pid, workers: own, results: [] as Measured[] },
    { name: 'node-oidc-provider, PostgreSQL', pid: peer.pid, workers: theirs, results: [] as Measured[] },
  ] as const;
  for (const { workers } of sides) await callFor(workers);
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      side.results.push(await measured(side.pid, side.workers));
    }
  }
  peer.stop();
  const [ours, other] = sides.map(({ results }) => middle(results));
  if (ours === undefined || other === undefined) throw new Error('both are measured');
  print(
    ['refresh, rotated', 'refreshes/s', 'p99 ms', 'CPU ms'],
    ...[ours, other].map((result, index) => [
      sides[index]?.name ?? '',
      result.perSecond.toFixed(0),
      result.p99.toFixed(1),
      result.cpuMs.toFixed(2),
    ]),
  );
  return [atLeast('refreshes/s over node-oidc-provider on PostgreSQL', ours.perSecond / other.perSecond, 1)];
}

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
  /** Of the process, per call. */
  readonly cpuMs: number;
}

async function measured(pid: number, workers: readonly (() => Promise<void>)[]): Promise<Measured> {
  const before = cpuMsOf(pid);
  const { calls, latencies, seconds: took } = await callFor(workers);
  return {
    perSecond: calls / took,
    p99: quantile(latencies, 0.99),
    cpuMs: (cpuMsOf(pid) - before) / calls,
  };
}

/** The result with the median rate. */
function middle(results: readonly Measured[]): Measured | undefined {
  return results.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(results.length / 2)];
}

/** Pages of a business with a million orders, and the plans of PostgreSQL for them. */
async function measureOrders({ platform }: Bench): Promise<Target[]> {
  const businessId = await platform.createVerifiedBusiness('large');
  const { keyString: key } = await platform.createKey({ businessId });
  const created = await platform.request(0, 'POST', '/v2/order', { key, body: orderBody });
  if (created.status !== 201) throw new Error(created.text);
  await query(
    platform.databases.business,
    `INSERT INTO orders (id, business_id, number, status, currency, line_items, total, customer, metadata, created_at, updated_at)
     SELECT 'ord_' || md5(n::text || $1), business_id, number + n, status, currency, line_items, total, customer, metadata,
            created_at - make_interval(secs => n), updated_at
     FROM orders, generate_series(1, $2::int) AS n WHERE business_id = $3`,
    ['bench', orders, businessId],
  );
  await query(platform.databases.business, 'VACUUM ANALYZE orders');
  const [stored] = await query(platform.databases.business, 'SELECT count(*)::int AS count FROM orders');
  if (Number(stored?.count) !== orders + 1) throw new Error(`${stored?.count} orders are stored`);
  const pages = ['', '?limit=100', '?status=pending', '?created_from=2020-01-01T00:00:00Z&limit=100'];
  const before = await scansOf(platform);
  const rows: string[][] = [];
  const targets: Target[] = [];
  for (const page of pages) {
    const { latencies } = await callFor([
      async () => {
        const { status, text } = await platform.request(0, 'GET', `/v2/order${page}`, { key });
        if (status !== 200 || !text.includes('Ada Lovelace')) throw new Error(text);
      },
    ]);
    const p99 = quantile(latencies, 0.99);
    rows.push([`/v2/order${page}`, quantile(latencies, 0.5).toFixed(1), p99.toFixed(1)]);
    if (page === '') targets.push(atMost(`p99 ms of GET /v2/order of ${orders} orders`, p99, 10));
  }
  print(['one after another', 'p50 ms', 'p99 ms'], ...rows);
  return [...targets, atMost('sequential scans of orders', (await scansOf(platform)) - before, 0)];
}

async function scansOf(platform: Platform): Promise<number> {
  // PostgreSQL publishes the counts of a backend with a delay of up to a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const statement = `SELECT seq_scan::int AS scans FROM pg_stat_user_tables WHERE relname = 'orders'`;
  const [row] = await query(platform.databases.business, statement);
  return Number(row?.scans);
}

const parts: Readonly<Record<string, (bench: Bench) => Promise<Target[]>>> = {
  authorize: measureAuthorize,
  refresh: measureRefresh,
  orders: measureOrders,
};

const started = await beginRun();
const platform = await startPlatform({
  identityEnv: { LOG_LEVEL: 'warn' },
  gatewayEnv: { LOG_LEVEL: 'warn' },
  businessEnv: { LOG_LEVEL: 'warn' },
});
try {
  const [identity] = platform.identities;
  if (identity === undefined) throw new Error('there is an identity-service');
  pin('load', process.pid);
  for (const { pid } of [...platform.businesses, ...platform.gateways]) pin('load', pid);
  pin('measured', identity.pid);
  const chosen = process.argv.slice(3);
  for (const [name, measure] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    process.stdout.write(`\n${targetTable(await measure({ platform, identity }))}\n`);
  }
} finally {
  await platform.close();
  await started.end();
}
