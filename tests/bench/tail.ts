// `npm run bench -- tail`: where all requests, and the slowest hundredth of them, spend their time in the gateway, as fast as it
// responds and at half of that.
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPlatform } from '../harness/platform.ts';
import { beginBenchRun } from './bench-run.ts';
import { pin, yieldToOthers } from './pin.ts';
import { startScript } from './script.ts';
import { heldBack } from './side-by-side.ts';
import { align } from './table.ts';
import { runWrk } from './wrk.ts';

const seconds = Number(process.env.BENCH_SECONDS || 20);

/** As written by gateway/bench/stages.ts, in monotonic milliseconds of the gateway. */
interface Noted {
  readonly requests: readonly (readonly [
    startedAt: number,
    forwardedAt: number,
    upstreamAt: number,
    endedAt: number,
  ])[];
  readonly collections: readonly (readonly [startedAt: number, endedAt: number])[];
}

/** Milliseconds of one request. */
interface Stages {
  readonly authorize: number;
  readonly upstream: number;
  readonly respond: number;
  readonly whole: number;
  /** Of the garbage collector, within the others. */
  readonly collection: number;
}

const names = {
  whole: 'in the gateway',
  authorize: 'until forwarded: authorize, admit, slot',
  upstream: 'until the head of the response',
  respond: 'until the response is written',
  collection: 'garbage collection meanwhile',
} as const;

function stagesOf({ requests, collections }: Noted): Stages[] {
  let first = 0;
  const byStart = requests.toSorted(([a], [b]) => a - b);
  return byStart.map(([startedAt, forwardedAt, upstreamAt, endedAt]) => {
    while ((collections[first]?.[1] ?? Infinity) < startedAt) first++;
    let collection = 0;
    for (let at = first; (collections[at]?.[0] ?? Infinity) < endedAt; at++) {
      const [from, to] = collections[at] ?? [0, 0];
      collection += Math.max(0, Math.min(to, endedAt) - Math.max(from, startedAt));
    }
    return {
      authorize: forwardedAt - startedAt,
      upstream: upstreamAt - forwardedAt,
      respond: endedAt - upstreamAt,
      whole: endedAt - startedAt,
      collection,
    };
  });
}

function table(stages: readonly Stages[]): string {
  const slowest = stages.toSorted((a, b) => b.whole - a.whole).slice(0, Math.ceil(stages.length / 100));
  const rows = (Object.keys(names) as (keyof Stages)[]).map((stage) => {
    const sorted = stages.map((one) => one[stage]).sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
    const mean = (of: readonly Stages[]) => of.reduce((sum, one) => sum + one[stage], 0) / of.length;
    return [
      names[stage],
      ...[at(0.5), at(0.9), at(0.99), mean(stages), mean(slowest)].map((ms) => ms.toFixed(1)),
    ];
  });
  return align([['ms', 'p50', 'p90', 'p99', 'mean', 'mean of the slowest 1 %'], ...rows]);
}

const probe = fileURLToPath(new URL('../../gateway/bench/stages.ts', import.meta.url));
const run = await beginBenchRun();
const upstream = await startScript('tests/bench/upstream.ts');
try {
  const platform = await startPlatform({
    strictTimes: true,
    upstreams: [`http://127.0.0.1:${upstream.port}`],
    gatewayEnv: () => ({ REPORT_INTERVAL_MS: heldBack, NODE_OPTIONS: `--import=${probe}` }),
  });
  const [gateway] = platform.gateways;
  const { pid = 0, ports } = gateway ?? {};
  pin('measured', pid);
  for (const identity of platform.identities) yieldToOthers(identity.pid);
  const key = await platform.createKey();
  await platform.setKeyLimit(key, 10_000_000);
  const measure = async (title: string, rate?: number) => {
    await takeNoted(pid);
    const { requestsPerSecond, p50, p99 } = await runWrk(ports?.http ?? 0, key.keyString, seconds, rate);
    const noted = await takeNoted(pid);
    const client = `${requestsPerSecond.toFixed(0)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms at the client`;
    process.stdout.write(`\n${title}: ${client}\n${table(stagesOf(noted))}\n`);
    return requestsPerSecond;
  };
  await runWrk(ports?.http ?? 0, key.keyString, 10);
  const capacity = await measure('As fast as it responds');
  await measure('At half of that', capacity / 2);
  await platform.close();
} finally {
  upstream.stop();
  await run.end();
}

async function takeNoted(pid: number): Promise<Noted> {
  const file = join(tmpdir(), `stages-${pid}.json`);
  process.kill(pid, 'SIGUSR2');
  await delay(3_000);
  const noted = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return noted;
}
