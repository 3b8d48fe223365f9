import type { Result } from './contender.ts';

/** A target of the gateway. */
export interface Target {
  readonly text: string;
  readonly value: number;
  readonly reached: boolean;
}

/** Results as a table for people. */
export function resultTable(results: readonly Result[]): string {
  const header = ['', 'requests/s', 'p50 ms', 'p99 ms', 'p99 ms at 500/s', 'CPU us', 'RSS MB'];
  const rows = results.map((result) => [
    result.name,
    result.requestsPerSecond.toFixed(0),
    result.p50.toFixed(2),
    result.p99.toFixed(2),
    Number.isNaN(result.steadyP99) ? '-' : result.steadyP99.toFixed(2),
    result.cpuMicros.toFixed(0),
    result.rssMegabytes.toFixed(0),
  ]);
  return align([header, ...rows]);
}

export function targetTable(targets: readonly Target[]): string {
  return align(
    targets.map(({ text, value, reached }) => [text, value.toFixed(2), reached ? 'reached' : 'not reached']),
  );
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
