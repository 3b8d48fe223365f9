/** Promises that are measured. */
export const promises = ['revocation', 'rolling_hour', 'webhook', 'refresh'] as const;

export type PromiseName = (typeof promises)[number];

/** Promises whose delay is measured. */
export type TimedPromise = Exclude<PromiseName, 'rolling_hour'>;

/** Time in which one gateway kept a promise. */
export interface Measurement {
  readonly promise: TimedPromise;
  readonly replica: string;
  readonly ms: number;
}

/** A request that broke a promise. */
export interface Violation {
  readonly promise: PromiseName;
  readonly replica: string;
  /** X-Request-Id of the response, to find its log lines; of a delivery its webhook-id. */
  readonly requestId: string;
  /** A sentence about the replica. */
  readonly what: string;
}

/** Outcome of one check in one round. */
export interface Checked {
  readonly measured: readonly Measurement[];
  readonly violations: readonly Violation[];
  /** Of the rolling hour: requests of the last hour that were admitted. */
  readonly admitted?: number;
}

/** Violations that are kept. */
export const keptViolations = 100;

/** Times that are kept of one gateway: those of a day. */
const keptTimes = 1_440;

/** Whole milliseconds, of each gateway. */
export type Times = readonly {
  readonly replica: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}[];

/** Measurements since the start of the process, as /promises shows it. Times of the wall clock are ISO 8601. */
export interface Report {
  readonly since: string;
  /** End of the last round that could be measured; null before the first. */
  readonly lastRoundAt: string | null;
  readonly rounds: number;
  /** Rounds that could not be measured completely. */
  readonly failedRounds: number;
  /** Why the last of them failed; null when none did. */
  readonly lastFailure: string | null;
  /** Time from the response that ended a key to the start of the first refused request. */
  readonly revocation: Times;
  /** Time from a change at a gateway to its verified delivery. */
  readonly webhook: Times;
  /** Time from the refusal of a reused refresh token to the start of the first refused request. */
  readonly refresh: Times;
  /** Admitted requests of a key in the last hour. */
  readonly rollingHour: { readonly limit: number; readonly admitted: number };
  /** Since the start; `violations` has the newest of them. */
  readonly violationCount: number;
  /** The newest first. */
  readonly violations: readonly (Violation & { readonly at: string })[];
}

/** Keeps what was measured. @param now milliseconds since 1970 */
export function createResults(limit: number, now: () => number) {
  const since = now();
  const times = {
    revocation: new Map<string, number[]>(),
    webhook: new Map<string, number[]>(),
    refresh: new Map<string, number[]>(),
  };
  let violations: Report['violations'] = [];
  let violationCount = 0;
  let rounds = 0;
  let failures = { count: 0, last: null as string | null };
  let lastRoundAt: number | undefined;
  let admitted = 0;
  return {
    /** Adds the outcome of one check. */
    add: ({ measured, violations: broken }: Checked): void => {
      for (const { promise, replica, ms } of measured) addTime(times[promise], replica, ms);
      const at = formatTime(now());
      violationCount += broken.length;
      violations = [...broken.map((one) => ({ ...one, at })), ...violations].slice(0, keptViolations);
    },
    /** Ends a round that was measured. */
    endRound: (admittedInHour: number): void => {
      rounds++;
      lastRoundAt = now();
      admitted = admittedInHour;
    },
    /** Ends a round that could not be measured completely. */
    addFailure: (why: string, admittedInHour: number): void => {
      failures = { count: failures.count + 1, last: why };
      admitted = admittedInHour;
    },
    report: (): Report => ({
      since: formatTime(since),
      lastRoundAt: lastRoundAt === undefined ? null : formatTime(lastRoundAt),
      rounds,
      failedRounds: failures.count,
      lastFailure: failures.last,
      revocation: summary(times.revocation),
      webhook: summary(times.webhook),
      refresh: summary(times.refresh),
      rollingHour: { limit, admitted },
      violationCount,
      violations,
    }),
  };
}

/** Gateways whose times are kept. */
const maxReplicas = 100;

function addTime(times: Map<string, number[]>, replica: string, ms: number): void {
  times.set(replica, [...(times.get(replica) ?? []), ms].slice(-keptTimes));
  // Replicas come and go with their addresses.
  for (const old of [...times.keys()].slice(0, -maxReplicas)) times.delete(old);
}

const summary = (times: ReadonlyMap<string, readonly number[]>): Times =>
  [...times].map(([replica, all]) => ({
    replica,
    p50Ms: quantile(all, 0.5),
    p99Ms: quantile(all, 0.99),
  }));

const formatTime = (ms: number): string => new Date(ms).toISOString();

/** Nearest rank, in whole milliseconds. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
