import type { Platform } from '../harness/platform.ts';
import type { TestService } from '../harness/service.ts';
import { align } from './table.ts';

/** A platform, and the process that is measured. */
export interface Bench {
  readonly platform: Platform;
  readonly identity: TestService;
}

/** Makes one call. */
export type Worker = () => Promise<void>;

/** Seconds of a measurement. */
export const seconds = Number(process.env.BENCH_SECONDS || 10);

/** Calls that were made within the time, each worker one after another. */
export async function callFor(
  workers: readonly Worker[],
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

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export function print(header: readonly string[], ...rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${align([header, ...rows])}\n`);
}
