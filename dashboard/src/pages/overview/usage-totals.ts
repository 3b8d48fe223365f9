import type { UsageHour } from '../../parts/usage-chart/usage-points.ts';

/** Requests of a span, and what became of them. */
export interface UsageTotals {
  readonly requests: number;
  /** Answers 400 to 499, without 429. */
  readonly refused: number;
  /** Answers with 429. */
  readonly limited: number;
  /** Answers of 500 and above. */
  readonly failed: number;
}

export function totalsOf(hours: readonly UsageHour[]): UsageTotals {
  const sum = (name: 'count2xx' | 'count4xx' | 'count429' | 'count5xx') =>
    hours.reduce((total, hour) => total + hour[name], 0);
  const [refused, limited, failed] = [sum('count4xx'), sum('count429'), sum('count5xx')];
  return { requests: sum('count2xx') + refused + limited + failed, refused, limited, failed };
}

/** A share in per cent, with one decimal where it is small: "0 %", "0.4 %", "12 %", never "0 %" for something. */
export function share(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
