// Delivery of events, from their commit to a receiver on loopback: at a constant rate, all at once, beside dead receivers,
// after an outage of webhook-service, by three replicas. `npm run bench -- webhooks burst` measures one of these parts.
import type pg from 'pg';
import { metricOf } from '../harness/metrics.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { openClient, query } from '../harness/postgres.ts';
import { beginRun } from '../harness/run.ts';
import type { TestService } from '../harness/service.ts';
import { connectWebhooks, type Webhooks } from '../harness/webhooks.ts';
import { pin } from './pin.ts';
import { peakRssOf, rssOf } from './process-usage.ts';
import { startScript } from './script.ts';
import { align, atLeast, atMost, type Target, targetTable } from './table.ts';
import { type Usage, usageOf, usageSince } from './usage.ts';
import { type Arrivals, arrivalsOf, commit } from './webhook-load.ts';

const burst = Number(process.env.BENCH_EVENTS || 20_000);
/** Events of the outage. */
const missed = Number(process.env.BENCH_MISSED_EVENTS || 100_000);
/** Events for three replicas. */
const shared = Number(process.env.BENCH_SHARED_EVENTS || 30_000);
const seconds = Number(process.env.BENCH_SECONDS || 10);
/** Businesses, each with an endpoint. */
const businesses = 50;
/** Events per second: of all businesses, and of the one beside dead receivers. */
const rates = { all: 100, one: 20 };
const deadEndpoints = 50;
/** Milliseconds for the events of a part. */
const limitMs = 900_000;

interface Bench {
  readonly platform: Platform;
  /** The one that is measured. */
  readonly service: TestService;
  /** Stopped but for the part that needs them. */
  readonly others: readonly TestService[];
  readonly webhooks: Webhooks;
  readonly receiver: { readonly port: number };
  readonly database: pg.Client;
  readonly businessIds: readonly number[];
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const usage = ({ platform, service }: Bench) => usageOf(service, platform.databases.webhook ?? '');

/** Prints what each event has cost: the figures that a busy machine changes least. */
function printCosts(name: string, { cpuMs, databaseCpuMs, commits, rows }: Usage, events: number): void {
  const cells = [cpuMs, databaseCpuMs, commits, rows].map((value) => (value / events).toFixed(2));
  const header = ['per event', 'CPU ms', 'CPU ms in PostgreSQL', 'commits', 'rows written'];
  process.stdout.write(`\n${align([header, [name, ...cells]])}\n`);
}

function printLatencies(name: string, latencies: readonly number[]): void {
  const cells = [0.5, 0.95, 0.99].map((share) => `${percentile(latencies, share)}`);
  process.stdout.write(
    `\n${align([
      ['ms from commit to arrival', 'p50', 'p95', 'p99'],
      [name, ...cells],
    ])}\n`,
  );
}

const sentAgain = (count: number) => atMost('events sent again', count, 0);

/** One event after another, at a constant rate. */
async function sendSteadily(bench: Bench, businessIds: readonly number[], perSecond: number) {
  const count = perSecond * seconds;
  const startedAt = performance.now();
  const before = await usage(bench);
  for (let sent = 0; sent < count; sent++) {
    const wait = startedAt + (sent * 1_000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await commit(bench.database, businessIds[sent % businessIds.length] ?? 0, 1);
  }
  const { latencies, unique } = await arrivalsOf(bench.receiver.port, count);
  return { latencies, count, again: latencies.length - unique, used: usageSince(before, await usage(bench)) };
}

async function measureSteady(bench: Bench): Promise<Target[]> {
  const { latencies, count, again, used } = await sendSteadily(bench, bench.businessIds, rates.all);
  printLatencies('all at a constant rate', latencies);
  printCosts('all at a constant rate', used, count);
  const p99 = percentile(latencies, 0.99);
  return [atMost(`p99 ms from commit to arrival at ${rates.all} events/s`, p99, 1_000), sentAgain(again)];
}

/** All events at once. */
async function measureBurst(bench: Bench): Promise<Target[]> {
  const { database, businessIds, service } = bench;
  const each = Math.ceil(burst / businesses);
  const before = await usage(bench);
  for (const id of businessIds) await commit(database, id, each);
  const { latencies, unique, spanMs } = await arrivalsOf(bench.receiver.port, each * businesses);
  const used = usageSince(before, await usage(bench));
  printCosts('all at once', used, unique);
  process.stdout.write(`${((used.rows * 1_000) / spanMs).toFixed(0)} rows/s written in PostgreSQL\n`);
  return [
    atLeast('deliveries/s of one process', (unique * 1_000) / spanMs, 2_000),
    atLeast('deliveries per second of its CPU', (unique * 1_000) / used.cpuMs, 2_000),
    sentAgain(latencies.length - unique),
    atMost('RSS MB', rssOf(service.pid), 400),
  ];
}

async function measureBesideDead(bench: Bench, origin: string): Promise<Target[]> {
  const dead = await addEndpoints(bench, deadEndpoints, `${origin}/dead`);
  for (const id of dead) await commit(bench.database, id, 20);
  const { latencies, again } = await sendSteadily(bench, bench.businessIds.slice(0, 1), rates.one);
  printLatencies('one beside dead receivers', latencies);
  const p95 = percentile(latencies, 0.95);
  return [atMost(`p95 ms of one beside ${deadEndpoints} that never respond`, p95, 1_000), sentAgain(again)];
}

/** Events are committed while webhook-service is stopped. */
async function measureCatchUp(bench: Bench): Promise<Target[]> {
  const { database, businessIds, service } = bench;
  const each = Math.ceil(missed / businesses);
  await service.stop();
  for (const id of businessIds) await commit(database, id, each);
  await service.start();
  pin('measured', service.pid);
  const before = await usage(bench);
  const { latencies, unique, wrongPrevious, spanMs } = await arrivalsOf(
    bench.receiver.port,
    each * businesses,
    limitMs,
  );
  printCosts('after an outage', usageSince(before, await usage(bench)), unique);
  process.stdout.write(`${((unique * 1_000) / spanMs).toFixed(0)} deliveries/s of ${unique} events\n`);
  return [
    atMost('peak RSS MB after an outage', peakRssOf(service.pid), 400),
    ...(await correctness(bench, { latencies, unique, wrongPrevious })),
  ];
}

/** Three replicas at once. */
async function measureReplicas(bench: Bench): Promise<Target[]> {
  const { database, businessIds, service, others } = bench;
  await Promise.all(others.map((other) => other.start()));
  for (const { pid } of others) pin('measured', pid);
  const sent = () =>
    Promise.all(
      [service, ...others].map((replica) => metricOf(replica, 'webhook_attempt_duration_seconds_count')),
    );
  const before = await sent();
  const each = Math.ceil(shared / businesses);
  for (const id of businessIds) await commit(database, id, each);
  const arrivals = await arrivalsOf(bench.receiver.port, each * businesses, limitMs);
  const shares = (await sent()).map((count = 0, index) => count - (before[index] ?? 0));
  process.stdout.write(`\n${shares.join(', ')} deliveries by replica\n`);
  const result = [
    atLeast('share of a replica of three', Math.min(...shares) / arrivals.unique, 0.1),
    ...(await correctness(bench, arrivals)),
  ];
  await Promise.all(others.map((other) => other.stop()));
  return result;
}

/** Targets of events that have arrived: once, in a chain, and shown as delivered with one attempt. */
async function correctness(
  { platform, businessIds }: Bench,
  { latencies, unique, wrongPrevious }: Pick<Arrivals, 'latencies' | 'unique' | 'wrongPrevious'>,
): Promise<Target[]> {
  const [left] = await query(
    platform.databases.webhook ?? '',
    `SELECT count(*)::int AS count FROM deliveries d JOIN messages m USING (event_id, previous)
     WHERE (d.status <> 'delivered' OR d.attempts <> 1) AND m.business_id = ANY($1)`,
    [businessIds],
  );
  return [
    atMost('results that are not stored yet, of those in flight', Number(left?.count), 250),
    atMost('events with a wrong `previous`', wrongPrevious, 0),
    sentAgain(latencies.length - unique),
  ];
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

/** Warm: every endpoint has had its first success, after which it may have five attempts in flight. */
async function warmUp(bench: Bench): Promise<void> {
  for (const id of bench.businessIds) await commit(bench.database, id, 5);
  await arrivalsOf(bench.receiver.port, 5 * businesses);
}

const parts: Readonly<Record<string, (bench: Bench, origin: string) => Promise<Target[]>>> = {
  steady: measureSteady,
  burst: measureBurst,
  'catch-up': measureCatchUp,
  replicas: measureReplicas,
  dead: measureBesideDead,
};

async function run(empty: Bench, origin: string): Promise<void> {
  const bench = { ...empty, businessIds: await addEndpoints(empty, businesses, `${origin}/hook`) };
  await warmUp(bench);
  const chosen = process.argv.slice(3);
  for (const [name, measure] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    process.stdout.write(`\n${targetTable(await measure(bench, origin))}\n`);
  }
}

const started = await beginRun();
const script = await startScript('tests/bench/webhook-receiver.ts');
const platform = await startPlatform({ webhooks: 3, webhookEnv: { LOG_LEVEL: 'warn' } });
const webhooks = connectWebhooks(platform);
const database = await openClient(platform.databases.business);
try {
  pin('load', script.pid);
  pin('load', process.pid);
  for (const { pid } of [...platform.businesses, ...platform.identities]) pin('load', pid);
  const [service, ...others] = platform.webhooks;
  if (service === undefined) throw new Error('there is a webhook-service');
  pin('measured', service.pid);
  await Promise.all(others.map((other) => other.stop()));
  await run(
    { platform, service, others, webhooks, receiver: script, database, businessIds: [] },
    `http://127.0.0.1:${script.port}`,
  );
} finally {
  await database.end();
  webhooks.close();
  await platform.close();
  script.stop();
  await started.end();
}
