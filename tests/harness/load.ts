import { Agent } from 'node:http';
import { expectEventually } from './expect-eventually.ts';
import { type LoadReport, loadReport } from './load-report.ts';
import { type LoadOptions, type LoadTarget, sendOne } from './load-request.ts';

export interface Load {
  /** Requests that have ended so far. */
  readonly report: LoadReport;
  /** Stops sending, waits for requests in flight, and returns all records. */
  stop(): Promise<LoadReport>;
}

/** Milliseconds between two checks of the clock. */
const tickMs = 4;

/**
 * Load at a constant rate over keep-alive connections, as a load balancer in front of several replicas sends it. Times are
 * `performance.now()` of this process, so a test can compare them with its own.
 */
export function startLoad(options: LoadOptions): Load {
  // Shorter than any server's own time-out: a connection that the server is about to close is not used again.
  const agent = new Agent({ keepAlive: true, timeout: 4_000 });
  const report = loadReport();
  const underWay = new Set<Promise<void>>();
  const beganAt = performance.now();
  const { maxInFlight = 20 } = options;
  let due = 0;
  let sent = 0;

  const send = () => {
    const target: LoadTarget = { agent, first: sent++, ...options };
    const one = sendOne(target).then((record) => {
      report.records.push(record);
      underWay.delete(one);
    });
    underWay.add(one);
  };
  const timer = setInterval(() => {
    const dueNow = Math.floor(((performance.now() - beganAt) / 1000) * options.rate);
    for (; due < dueNow; due++) if (underWay.size < maxInFlight) send();
  }, tickMs);
  return {
    report,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      agent.destroy();
      return report;
    },
  };
}

/** Load for so many milliseconds, for measurements: requests are sent on time whether or not earlier ones have a response. */
export async function loadFor(durationMs: number, options: LoadOptions): Promise<LoadReport> {
  const load = startLoad({ maxInFlight: Number.POSITIVE_INFINITY, ...options });
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  return load.stop();
}

/** Waits for responses to `count` more requests that start at `time` or later, by `performance.now()`. */
export const completedAfter = (load: Load, time: number, count: number, withinMs = 10_000): Promise<void> =>
  expectEventually(
    () => {
      const started = load.report.records.filter(({ startedAt }) => startedAt >= time);
      if (started.length < count) throw new Error(`${started.length} of ${count} requests`);
    },
    { withinMs },
  );
