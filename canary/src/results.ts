/** Promises that are measured. */
export const promises = ['revocation', 'rolling_hour'] as const;

export type PromiseName = (typeof promises)[number];

/** Time from the end of a key to the first refusal of one gateway. */
export interface Measurement {
  readonly replica: string;
  readonly ms: number;
}

/** A request that broke a promise. */
export interface Violation {
  readonly promise: PromiseName;
  readonly replica: string;
  /** X-Request-Id of the response, to find its log lines. */
  readonly requestId: string;
  /** A sentence about the replica. */
  readonly what: string;
}

/** Violations that are kept. */
const keptViolations = 100;

/** Times that are kept of one gateway: those of a day. */
const keptTimes = 1_440;

/** Measurements since the start of the process, as /promises shows it. Times of the wall clock are ISO 8601. */
export interface Report {
  readonly since: string;
  /** End of the last round that could be measured; null before the first. */
  readonly lastRoundAt: string | null;
  readonly rounds: number;
  /** Rounds that could not be measured. */
  readonly failedRounds: number;
  /** Why the last of them failed; null when none did. */
  readonly lastFailure: string | null;
  /** Milliseconds from the response to the end of a key to the start of the first refused request. */
  readonly revocation: readonly {
    readonly replica: string;
    readonly p50Ms: number;
    readonly p99Ms: number;
  }[];
  /** Requests of the last hour that were admitted of a key. */
  readonly rollingHour: { readonly limit: number; readonly admitted: number };
  /** The newest first. */
  readonly violations: readonly (Violation & { readonly at: string })[];
}

/** Keeps what was measured. @param now milliseconds since 1970 */
export function createResults(limit: number, now: () => number) {
  const since = now();
  const times = new Map<string, number[]>();
  let violations: Report['violations'] = [];
  let rounds = 0;
  let failures = { count: 0, last: null as string | null };
  let lastRoundAt: number | undefined;
  let admitted = 0;
  return {
    addRound: (
      measured: readonly Measurement[],
      broken: readonly Violation[],
      admittedInHour: number,
    ): void => {
      rounds++;
      lastRoundAt = now();
      admitted = admittedInHour;
      for (const { replica, ms } of measured) {
        times.set(replica, [...(times.get(replica) ?? []), ms].slice(-keptTimes));
      }
      const at = formatTime(lastRoundAt);
      violations = [...broken.map((one) => ({ ...one, at })), ...violations].slice(0, keptViolations);
      // Replicas come and go with their addresses.
      for (const replica of [...times.keys()].slice(0, -maxReplicas)) times.delete(replica);
    },
    addFailure: (why: string): void => {
      failures = { count: failures.count + 1, last: why };
    },
    report: (): Report => ({
      since: formatTime(since),
      lastRoundAt: lastRoundAt === undefined ? null : formatTime(lastRoundAt),
      rounds,
      failedRounds: failures.count,
      lastFailure: failures.last,
      revocation: [...times].map(([replica, all]) => ({
        replica,
        p50Ms: quantile(all, 0.5),
        p99Ms: quantile(all, 0.99),
      })),
      rollingHour: { limit, admitted },
      violations,
    }),
  };
}

/** Gateways whose times are kept. */
const maxReplicas = 100;

const formatTime = (ms: number): string => new Date(ms).toISOString();

/** Nearest rank, in whole milliseconds. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
