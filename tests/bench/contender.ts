import { spawnSync } from 'node:child_process';
import { loadFor } from '../harness/load.ts';
import { runWrk, type Throughput } from './wrk.ts';

/** A server that responds to the request of the bench. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Whether it is also measured at a constant rate, well below its maximum. */
  readonly steady: boolean;
}

/** Measurements of one contender: medians over the rounds. */
export interface Result extends Throughput {
  readonly name: string;
  /** p99 in milliseconds at a fixed 500 requests a second; NaN where that is not measured. */
  readonly steadyP99: number;
  readonly rssMegabytes: number;
}

export interface BenchPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly key: string;
}

const steadyRate = 500;
/** V8 takes this long to settle on its fastest code for a whole request path. */
const warmUpSeconds = 8;

/** Measures the contenders in turn, round by round, so that a disturbance of the machine affects all of them. */
export async function measure(contenders: readonly Contender[], plan: BenchPlan): Promise<Result[]> {
  const runs = contenders.map((): { full: Throughput[]; steady: number[] } => ({ full: [], steady: [] }));
  for (const { port } of contenders) await runWrk(port, plan.key, warmUpSeconds);
  for (let round = 0; round < plan.rounds; round++) {
    for (const [index, { name, port, steady }] of contenders.entries()) {
      process.stderr.write(`round ${round + 1} of ${plan.rounds}: ${name}\n`);
      runs[index]?.full.push(await runWrk(port, plan.key, plan.seconds));
      if (steady) runs[index]?.steady.push(await steadyP99(port, plan));
    }
  }
  return contenders.map(({ name, pid }, index) => {
    const { full = [], steady = [] } = runs[index] ?? {};
    return {
      name,
      requestsPerSecond: median(full.map((run) => run.requestsPerSecond)),
      p50: median(full.map((run) => run.p50)),
      p99: median(full.map((run) => run.p99)),
      steadyP99: median(steady),
      rssMegabytes: rssOf(pid),
    };
  });
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

export function rssOf(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024;
}
