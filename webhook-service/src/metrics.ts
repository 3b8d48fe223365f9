import { Counter, Gauge, Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { AttemptResult } from './attempts/result.ts';

/** State of the deliveries, over all replicas. */
export interface Backlog {
  /** Deliveries whose attempt is due; of more than 100,000 no more are counted. */
  readonly due: number;
  /** Seconds for which the oldest of them has been due. */
  readonly oldestSeconds: number;
  /** The same for deliveries that may be attempted: without disabled endpoints and those with an open circuit. */
  readonly lagSeconds: number;
  /** Endpoints by state: healthy, failing, paused by the circuit breaker, disabled. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Bytes on disk by table, indexes included. */
  readonly tableBytes: ReadonlyMap<string, number>;
}

export interface WebhookMetrics {
  attempt(result: Pick<AttemptResult, 'outcome' | 'durationMs'>): void;
  /** Undefined if it could not be read. Then earlier values are no longer exported. */
  backlog(backlog: Backlog | undefined): void;
  purged(rows: number): void;
}

/** Seconds: a receiver has 15. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** @param state of this process, read with every scrape */
export function createMetrics(
  registry: Registry,
  state: { readonly turns: () => number; readonly feedsBehind: () => number },
): WebhookMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const attempts = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time from the lookup to the end of the response, by outcome.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const due = gauge('webhook_due_deliveries', 'Deliveries whose attempt is due.');
  const oldest = gauge('webhook_oldest_due_seconds', 'Seconds for which the oldest due delivery has waited.');
  const lag = gauge(
    'webhook_delivery_lag_seconds',
    'Seconds for which the oldest delivery that may be attempted has waited.',
  );
  const endpoints = gauge('webhook_endpoints', 'Endpoints by state.', ['state']);
  const tableBytes = gauge('webhook_table_bytes', 'Bytes on disk of a table and its indexes.', ['table']);
  const purged = new Counter({
    name: 'webhook_purged_deliveries_total',
    help: 'Deliveries that were deleted after 30 days.',
    registers,
  });
  collect('webhook_turns', 'Endpoints that this process is sending to.', state.turns);
  collect(
    'webhook_feeds_behind',
    'Businesses with unread events that this process knows of.',
    state.feedsBehind,
  );

  function collect(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  return {
    attempt: ({ outcome, durationMs }) => attempts.observe({ outcome }, durationMs / 1_000),
    backlog: (backlog) => {
      due.set(backlog?.due ?? Number.NaN);
      oldest.set(backlog?.oldestSeconds ?? Number.NaN);
      lag.set(backlog?.lagSeconds ?? Number.NaN);
      if (backlog === undefined) return endpoints.reset();
      for (const [state, count] of Object.entries(backlog.endpoints)) endpoints.set({ state }, count);
      for (const [table, bytes] of backlog.tableBytes) tableBytes.set({ table }, bytes);
    },
    purged: (rows) => purged.inc(rows),
  };
}
