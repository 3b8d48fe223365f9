// Delivery of events, from their commit to a receiver on loopback: at once, at a constant rate, beside dead receivers.
import type pg from 'pg';
import { request } from '../harness/http-request.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { openClient } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';
import { connectWebhooks, type Webhooks } from '../harness/webhooks.ts';
import { rssOf } from './contender.ts';
import { pin } from './pin.ts';
import { startScript } from './script.ts';
import { align, targetTable } from './table.ts';
import { atLeast, atMost } from './targets.ts';

/** Requests that have arrived since the last question. */
export interface Arrivals {
  /** Milliseconds from commit to arrival, one for each request. */
  readonly latencies: readonly number[];
  /** Number of different events. */
  readonly unique: number;
  /** Milliseconds from the first request to the last. */
  readonly spanMs: number;
}

const burst = Number(process.env.BENCH_EVENTS || 20_000);
const seconds = Number(process.env.BENCH_SECONDS || 10);
/** Businesses, each with an endpoint. */
const businesses = 50;
/** Events per second: of all businesses, and of the one beside dead receivers. */
const rates = { all: 100, one: 20 };
const deadEndpoints = 50;

/** Data of an event: about as long as an order. */
const payload = JSON.stringify({ object: 'order', text: 'x'.repeat(660) });

/** Commits events of one business, and tells its readers. */
async function commit(database: pg.Client, businessId: number, count: number): Promise<void> {
  await database.query(
    `WITH head AS (
       UPDATE business_counters SET last_event_sequence = last_event_sequence + $2 WHERE business_id = $1
       RETURNING last_event_sequence - $2 AS before)
     INSERT INTO events (business_id, sequence, id, type, payload, created_at)
     SELECT $1, before + n, 'evt_' || md5($1 || '.' || before + n), 'order.created', $3::json, clock_timestamp()
     FROM head, generate_series(1, $2::int) AS n`,
    [businessId, count, payload],
  );
  await database.query(`SELECT pg_notify('feed_changes', $1)`, [String(businessId)]);
}

interface Bench {
  readonly platform: Platform;
  readonly webhooks: Webhooks;
  readonly receiver: { readonly port: number };
  readonly database: pg.Client;
  readonly businessIds: readonly number[];
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Waits until so many events have arrived, whatever was sent twice. */
async function arrivalsOf({ receiver }: Bench, count: number): Promise<Arrivals> {
  const all: { latencies: number[]; unique: number; spanMs: number } = {
    latencies: [],
    unique: 0,
    spanMs: 0,
  };
  const giveUpAt = performance.now() + 120_000;
  while (all.unique < count) {
    if (performance.now() > giveUpAt) throw new Error(`${all.unique} of ${count} events arrived`);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const part = (await request(receiver.port, 'GET', '/')).json() as Arrivals;
    all.latencies.push(...part.latencies);
    all.unique += part.unique;
    all.spanMs += all.unique < count ? performance.now() - from : part.spanMs;
  }
  return all;
}

/** Rows that PostgreSQL has inserted, updated and deleted in the database of webhook-service. */
async function rowsWritten({ platform }: Bench): Promise<number> {
  const client = await openClient(platform.databases.webhook ?? '');
  const { rows } = await client.query<{ rows: number }>(
    `SELECT (tup_inserted + tup_updated + tup_deleted)::float8 AS rows FROM pg_stat_database
     WHERE datname = current_database()`,
  );
  await client.end();
  return rows[0]?.rows ?? Number.NaN;
}

/** All events at once. */
async function measureBurst(bench: Bench) {
  const { database, businessIds } = bench;
  const each = Math.ceil(burst / businesses);
  const before = await rowsWritten(bench);
  for (const id of businessIds) await commit(database, id, each);
  const { latencies, unique, spanMs } = await arrivalsOf(bench, each * businesses);
  const rows = (await rowsWritten(bench)) - before;
  return {
    perSecond: (unique * 1_000) / spanMs,
    again: latencies.length - unique,
    rows: (rows * 1_000) / spanMs,
  };
}

/** One event after another, at a constant rate; milliseconds from commit to arrival. */
async function measureSteady(bench: Bench, businessIds: readonly number[], perSecond: number) {
  const { database } = bench;
  const count = perSecond * seconds;
  const startedAt = performance.now();
  for (let sent = 0; sent < count; sent++) {
    const wait = startedAt + (sent * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await commit(database, businessIds[sent % businessIds.length] ?? 0, 1);
  }
  const { latencies, unique } = await arrivalsOf(bench, count);
  const at = (share: number) => percentile(latencies, share);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), again: latencies.length - unique };
}

async function addEndpoints({ platform, webhooks }: Bench, count: number, url: string): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const businessId = await platform.createVerifiedBusiness('shop');
    await webhooks.createEndpoint({ businessId, applicationId: '' }, url, ['order.created']);
    ids.push(businessId);
  }
  return ids;
}

interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

function latencyTable(results: Readonly<Record<string, Latencies>>): string {
  const rows = Object.entries(results).map(([name, { p50, p95, p99 }]) => [
    name,
    `${p50}`,
    `${p95}`,
    `${p99}`,
  ]);
  return align([['ms from commit to arrival', 'p50', 'p95', 'p99'], ...rows]);
}

/** Warm: every endpoint has had its first success, after which it may have five attempts in flight. */
async function warmUp(bench: Bench): Promise<void> {
  for (const id of bench.businessIds) await commit(bench.database, id, 5);
  await arrivalsOf(bench, 5 * businesses);
}

async function run(empty: Bench, origin: string): Promise<void> {
  const bench = { ...empty, businessIds: await addEndpoints(empty, businesses, `${origin}/hook`) };
  await warmUp(bench);
  const steady = await measureSteady(bench, bench.businessIds, rates.all);
  const all = await measureBurst(bench);
  const dead = await addEndpoints(bench, deadEndpoints, `${origin}/dead`);
  for (const id of dead) await commit(bench.database, id, 20);
  const beside = await measureSteady(bench, bench.businessIds.slice(0, 1), rates.one);
  const [service] = bench.platform.webhooks;
  const rss = rssOf(service?.pid ?? 0);
  process.stdout.write(
    `\n${latencyTable({ 'all at a constant rate': steady, 'one beside dead receivers': beside })}\n`,
  );
  process.stdout.write(`\n${all.rows.toFixed(0)} rows/s written in PostgreSQL during the burst\n\n`);
  const again = steady.again + all.again + beside.again;
  const targets = [
    atLeast('deliveries/s of one process, at least 2000', all.perSecond, 2_000),
    atMost(`p99 ms from commit to arrival at ${rates.all} events/s, at most 1000`, steady.p99, 1_000),
    atMost(`p95 ms of one beside ${deadEndpoints} that never respond, at most 1000`, beside.p95, 1_000),
    atMost('events sent again, at most 0', again, 0),
    atMost('RSS MB, at most 400', rss, 400),
  ];
  process.stdout.write(`${targetTable(targets)}\n`);
}

const started = await beginRun();
const script = await startScript('tests/bench/webhook-receiver.ts');
const platform = await startPlatform({ webhooks: 1, webhookEnv: { LOG_LEVEL: 'warn' } });
const webhooks = connectWebhooks(platform);
const database = await openClient(platform.databases.business);
try {
  pin('load', script.pid);
  pin('load', process.pid);
  for (const { pid } of [...platform.businesses, ...platform.identities]) pin('load', pid);
  for (const { pid } of platform.webhooks) pin('measured', pid);
  await run(
    { platform, webhooks, receiver: script, database, businessIds: [] },
    `http://127.0.0.1:${script.port}`,
  );
} finally {
  await database.end();
  webhooks.close();
  await platform.close();
  script.stop();
  await started.end();
}
