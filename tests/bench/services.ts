// What is behind the gateway: Authorize, refreshes and exchanges of codes beside node-oidc-provider, and a business with a million
// orders. `npm run bench -- services refresh` measures one of these parts.
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { orderBody } from '../harness/business-platform.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';
import { type Bench, callFor, print, quantile } from './calls.ts';
import { pin } from './pin.ts';
import { atLeast, atMost, type Target, targetTable } from './table.ts';
import { measureExchange, measureRefresh } from './token-endpoint.ts';
import { usageOf, usageSince } from './usage.ts';

const orders = Number(process.env.BENCH_ORDERS || 1_000_000);

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
  exchange: measureExchange,
  orders: measureOrders,
};

// What is started from here on inherits its core.
pin('load', process.pid);
const started = await beginRun();
const platform = await startPlatform({
  identityEnv: { LOG_LEVEL: 'warn' },
  gatewayEnv: { LOG_LEVEL: 'warn' },
  businessEnv: { LOG_LEVEL: 'warn' },
});
try {
  const [identity] = platform.identities;
  if (identity === undefined) throw new Error('there is an identity-service');
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
