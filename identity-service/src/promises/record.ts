import { type PromiseName, promiseNames } from './check.ts';
import { countOf, type Histogram, mergeHistograms, quantileOf } from './histogram.ts';

/** Days that are shown, today included. */
export const shownDays = 30;

/** Violations that are shown, the newest. */
export const keptViolations = 500;

/** The stored row of a promise and a day. */
interface StoredDay {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly promise: PromiseName;
  readonly checks: number;
  readonly violations: number;
  readonly times: Histogram;
  readonly slowestMs: number | undefined;
  readonly highestPercent: number | undefined;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** A request that broke a promise. */
export interface Violation {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly promise: PromiseName;
  /** Address and port. */
  readonly gateway: string;
  readonly requestId: string;
  /** Words that follow the gateway. */
  readonly what: string;
}

/** Everything that is stored of the shown days. */
export interface Measurements {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Every day, the newest first, measured or not. */
  readonly days: readonly string[];
  readonly rows: readonly StoredDay[];
  /** The newest first. */
  readonly violations: readonly Violation[];
}

/** How a promise was kept: on a day, or on all of them. Undefined figures were not measured. */
export interface Figures {
  readonly checks: number;
  readonly violations: number;
  /** Checks that measured a time. */
  readonly timed: number;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly slowestMs: number | undefined;
  /** Of the rolling hour: the most that an hour has admitted, in percent of the limit. */
  readonly highestPercent: number | undefined;
}

/** A promise with its figures. Those of a day without measurements are undefined, not zero. */
export interface PromiseRecord {
  readonly name: PromiseName;
  readonly all: Figures | undefined;
  /** The newest first. */
  readonly days: readonly { readonly day: string; readonly figures: Figures | undefined }[];
}

/** How every promise was kept. */
export interface KeptPromises {
  /** When this was read, in milliseconds since 1970. */
  readonly now: number;
  /** End of the last check; undefined without one. */
  readonly lastAt: number | undefined;
  readonly promises: readonly PromiseRecord[];
  readonly violationCount: number;
  /** The newest `keptViolations` of them, the newest first. */
  readonly violations: readonly Violation[];
}

/** Sums what is stored. */
export function keptPromises({ now, days, rows, violations }: Measurements): KeptPromises {
  return {
    now,
    lastAt: greatest(rows.map(({ lastAt }) => lastAt)),
    promises: promiseNames.map((name) => {
      const own = rows.filter((row) => row.promise === name);
      const ofDay = (day: string) => figuresOf(own.filter((row) => row.day === day));
      return { name, all: figuresOf(own), days: days.map((day) => ({ day, figures: ofDay(day) })) };
    }),
    violationCount: sum(rows.map((row) => row.violations)),
    violations,
  };
}

function figuresOf(rows: readonly StoredDay[]): Figures | undefined {
  if (rows.length === 0) return undefined;
  const times = mergeHistograms(rows.map((row) => row.times));
  const slowestMs = greatest(rows.map((row) => row.slowestMs));
  return {
    checks: sum(rows.map(({ checks }) => checks)),
    violations: sum(rows.map((row) => row.violations)),
    timed: countOf(times),
    p50Ms: quantileOf(times, 0.5, slowestMs ?? 0),
    p99Ms: quantileOf(times, 0.99, slowestMs ?? 0),
    slowestMs,
    highestPercent: greatest(rows.map((row) => row.highestPercent)),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function greatest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
