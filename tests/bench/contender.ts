import { loadFor } from '../harness/load.ts';
import type { peers } from './peers.ts';
import { cpuMsOf, rssOf } from './process-usage.ts';
import { runWrk, type Throughput } from './wrk.ts';

/** Names in the tables and of the targets. */
export type ContenderName =
  | 'upstream, direct'
  | 'gateway'
  | 'gateway without authorize and admit'
  | 'gateway without the line of a request'
  | 'gateway, cache off'
  | 'gateway with traces of 1 %'
  | 'Express + http-proxy-middleware, bare'
  | (typeof peers)[number]['name'];

/** A server that responds to the request of the bench. */
export interface Contender {
  readonly name: ContenderName;
  readonly port: number;
  readonly pid: number;
  /** Whether it is also measured at a constant rate, well below its maximum. */
  readonly steady: boolean;
}

/** Measurements of one contender: medians over the rounds. */
export interface Result extends Throughput {
  readonly name: ContenderName;
  /** p99 in milliseconds at a fixed 500 requests a second; NaN where that is not measured. */
  readonly steadyP99: number;
  /** Microseconds of CPU per request, in user and kernel: what a busy machine changes least. */
  readonly cpuMicros: number;
  readonly rssMegabytes: number;
}

export interface BenchPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly key: string;
}

const steadyRate = 500;
/** V8 takes this long to settle on its fastest code for a whole request path, and shrinks its heap in a process that idles. */
const warmUpSeconds = 10;
const rewarmSeconds = 2;

interface Run extends Throughput {
  readonly cpuMicros: number;
}

/**
 * Measures the contenders in turn, round by round, so that a disturbance of the machine affects all of them; each round
 * begins with another one.
 */
export async function measure(contenders: readonly Contender[], plan: BenchPlan): Promise<Result[]> {
  const runs = contenders.map((contender) => ({ contender, full: [] as Run[], steady: [] as number[] }));
  for (const { port } of contenders) await runWrk(port, plan.key, warmUpSeconds);
  for (let round = 0; round < plan.rounds; round++) {
    for (const { contender, full, steady } of rotated(runs, round)) {
      const { name, port } = contender;
      process.stderr.write(`round ${round + 1} of ${plan.rounds}: ${name}\n`);
      await runWrk(port, plan.key, rewarmSeconds);
      full.push(await measureOnce(contender, plan));
      if (contender.steady) steady.push(await steadyP99(port, plan));
    }
  }
  return runs.map(({ contender: { name, pid }, full, steady }) => ({
    name,
    requests: median(full.map((run) => run.requests)),
    requestsPerSecond: median(full.map((run) => run.requestsPerSecond)),
    p50: median(full.map((run) => run.p50)),
    p99: median(full.map((run) => run.p99)),
    cpuMicros: median(full.map((run) => run.cpuMicros)),
    steadyP99: median(steady),
    rssMegabytes: rssOf(pid),
  }));
}

async function measureOnce({ port, pid }: Contender, { key, seconds }: BenchPlan): Promise<Run> {
  const before = cpuMsOf(pid);
  const throughput = await runWrk(port, key, seconds);
  return { ...throughput, cpuMicros: ((cpuMsOf(pid) - before) * 1_000) / throughput.requests };
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return items.map((item, index) => items[(index + by) % items.length] ?? item);
}

async function steadyP99(port: number, { key, seconds }: BenchPlan): Promise<number> {
  const path = '/v2/businesses/me';
  const report = await loadFor(seconds * 1_000, { ports: [port], rate: steadyRate, path, key });
  const failed = report.failures(200);
  if (failed.length > 0) throw new Error(`${failed.length} requests failed on port ${port}`);
  return report.latency(0.99);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
