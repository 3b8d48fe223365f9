import type { Result, Round } from './contender.ts';
import { differs, ratioOf, type Spread, spreadOf, withSpread } from './spread.ts';

/** A target of what is measured. */
export interface Target {
  readonly text: string;
  readonly value: Spread;
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number };
}

export function atLeast(text: string, value: number | Spread, wanted: number): Target {
  return { text: `${text}, at least ${wanted}`, value: asSpread(value), wanted: { atLeast: wanted } };
}

export function atMost(text: string, value: number | Spread, wanted: number): Target {
  return { text: `${text}, at most ${wanted}`, value: asSpread(value), wanted: { atMost: wanted } };
}

const asSpread = (value: number | Spread) => (typeof value === 'number' ? spreadOf([value]) : value);

const median = ({ rounds }: Result, value: (round: Round) => number) => spreadOf(rounds.map(value)).median;

/** Results as a table for people: medians, and how many times as many requests as each the first one serves. */
export function resultTable(results: readonly Result[]): string {
  const [first] = results;
  if (first === undefined) return '';
  const over = `${first.name} over it`;
  const header = ['', 'requests/s', over, 'p50 ms', 'p99 ms', 'p99 ms at half load', 'CPU us', 'RSS MB'];
  const rates = ({ rounds }: Result) => rounds.map(({ requestsPerSecond }) => requestsPerSecond);
  const rows = results.map((result) => {
    const ratio = ratioOf(rates(first), rates(result));
    const steady = median(result, ({ steadyP99 }) => steadyP99);
    return [
      result.name,
      median(result, ({ requestsPerSecond }) => requestsPerSecond).toFixed(0),
      result === first ? '-' : `${withSpread(ratio)}${differs(ratio, 1) ? '' : ' no difference'}`,
      median(result, ({ p50 }) => p50).toFixed(2),
      median(result, ({ p99 }) => p99).toFixed(2),
      Number.isNaN(steady) ? '-' : steady.toFixed(2),
      median(result, ({ cpuMicros }) => cpuMicros).toFixed(0),
      result.rssMegabytes.toFixed(0),
    ];
  });
  return align([header, ...rows]);
}

/** Whether a target is reached, by the median. */
export function isReached({ value: { median }, wanted }: Target): boolean {
  return 'atLeast' in wanted ? median >= wanted.atLeast : median <= wanted.atMost;
}

/** A value whose spread includes the target does not tell. */
function verdictOf(target: Target): string {
  const { least, most } = target.value;
  const [ofLeast, ofMost] = [least, most].map((end) => isReached({ ...target, value: spreadOf([end]) }));
  if (ofLeast !== ofMost) return 'within the spread';
  return ofLeast ? 'reached' : 'not reached';
}

export function targetTable(targets: readonly Target[]): string {
  return align(targets.map((target) => [target.text, withSpread(target.value), verdictOf(target)]));
}

/** Columns as wide as their widest cell. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return rows.map(line).join('\n');
}
