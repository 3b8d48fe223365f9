import { usedDuring } from './machine.ts';
import type { peers } from './peers.ts';
import { rssOf } from './process-usage.ts';
import { runWrk, type Throughput } from './wrk.ts';

/** Names in the tables and of the targets. */
export type ContenderName =
  | 'gateway'
  | 'gateway that reports'
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
  /** Whether it is also measured at half of what the gateway can do. */
  readonly steady: boolean;
}

/** Measurements of one round. */
export interface Round extends Throughput {
  /** Microseconds of CPU per request, in user and kernel: what a busy machine changes least. */
  readonly cpuMicros: number;
  /** p99 in milliseconds at half of what the gateway can do; NaN where that is not measured. */
  readonly steadyP99: number;
}

/** Measurements of one contender. */
export interface Result {
  readonly name: ContenderName;
  readonly rounds: readonly Round[];
  readonly rssMegabytes: number;
}

export interface BenchPlan {
  readonly rounds: number;
  /** Of one slice at full load; one at half takes as long. */
  readonly seconds: number;
  readonly key: string;
}

/** V8 takes this long to settle on its fastest code for a whole request path, and shrinks its heap in a process that idles. */
const warmUpSeconds = 8;
const rewarmSeconds = 2;

/** Share of a core that others may take in a slice; one that was disturbed more is repeated. */
const maxDisturbed = 0.05;
const maxRepeats = 2;

/** Results, and how disturbed they were. */
export interface Measured {
  readonly results: readonly Result[];
  /** Slices that were measured again, and those that were disturbed each time. */
  readonly repeated: number;
  readonly disturbed: number;
}

/**
 * Measures the contenders in turn, round by round, so that a disturbance of the machine affects all of them; each round
 * begins with another one.
 */
export async function measure(contenders: readonly Contender[], plan: BenchPlan): Promise<Measured> {
  const runs = contenders.map((contender) => ({ contender, rounds: [] as Round[] }));
  const counts = { repeated: 0, disturbed: 0 };
  let capacity = Number.NaN;
  for (const { name, port } of contenders) {
    const warm = await runWrk(port, plan.key, warmUpSeconds);
    if (name === 'gateway') capacity = warm.requestsPerSecond;
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const { contender, rounds } of rotated(runs, round)) {
      process.stderr.write(`round ${round + 1} of ${plan.rounds}: ${contender.name}\n`);
      await runWrk(contender.port, plan.key, rewarmSeconds);
      rounds.push(await undisturbed(() => measureOnce(contender, plan, capacity / 2), counts));
    }
  }
  const results = runs.map(({ contender: { name, pid }, rounds }) => {
    return { name, rounds, rssMegabytes: rssOf(pid) };
  });
  return { results, ...counts };
}

type Slice = Round & { readonly disturbed: number };

async function undisturbed(run: () => Promise<Slice>, counts: { repeated: number; disturbed: number }) {
  let slice = await run();
  for (let repeats = 0; slice.disturbed > maxDisturbed && repeats < maxRepeats; repeats++) {
    counts.repeated++;
    slice = await run();
  }
  if (slice.disturbed > maxDisturbed) counts.disturbed++;
  return slice;
}

async function measureOnce({ port, pid, steady }: Contender, plan: BenchPlan, rate: number): Promise<Slice> {
  const { key, seconds } = plan;
  const full = await usedDuring(pid, () => runWrk(port, key, seconds));
  const half = steady
    ? await usedDuring(pid, () => runWrk(port, key, seconds, rate))
    : { result: { p99: Number.NaN }, disturbed: 0 };
  return {
    ...full.result,
    cpuMicros: (full.cpuMs * 1_000) / full.result.requests,
    steadyP99: half.result.p99,
    disturbed: Math.max(full.disturbed, half.disturbed),
  };
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return items.map((item, index) => items[(index + by) % items.length] ?? item);
}
