/** One request of a load. Times are milliseconds of `performance.now()`. */
export interface LoadRecord {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The port that responded, or was tried last. */
  readonly port: number;
  /** Absent without a response. */
  readonly status?: number;
  /** Absent with a response. */
  readonly error?: string;
}

/** Every request of a load that has ended, with statistics. */
export interface LoadReport {
  readonly records: LoadRecord[];
  /** Requests that started at `time` or later and got 2xx. */
  successesStartedAfter(time: number): LoadRecord[];
  /** Requests without a response, or with a status outside `statuses`. */
  failures(...statuses: number[]): LoadRecord[];
  /** Number of requests by status, or by error. */
  counts(): Record<string, number>;
  /** Latency that a share (0 to 1) of the requests with a response stays under, in milliseconds. */
  latency(share: number): number;
}

export function loadReport(): LoadReport {
  const records: LoadRecord[] = [];
  return {
    records,
    successesStartedAfter: (time) =>
      records.filter((record) => record.startedAt >= time && isSuccess(record)),
    failures: (...statuses) =>
      records.filter(({ status }) => status === undefined || !statuses.includes(status)),
    counts: () => {
      const counts: Record<string, number> = {};
      for (const { status, error } of records) {
        const name = String(status ?? error);
        counts[name] = (counts[name] ?? 0) + 1;
      }
      return counts;
    },
    latency: (share) => {
      const sorted = records
        .filter(isCompleted)
        .map(latencyOf)
        .sort((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    },
  };
}

const isCompleted = ({ status }: LoadRecord) => status !== undefined;
const latencyOf = ({ startedAt, endedAt }: LoadRecord) => endedAt - startedAt;
const isSuccess = ({ status = 0 }: LoadRecord) => status >= 200 && status < 300;
