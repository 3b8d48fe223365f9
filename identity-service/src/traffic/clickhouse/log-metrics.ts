import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';

export type LogMetrics = ReturnType<typeof createLogMetrics>;

/** Requests on their way to ClickHouse; all at 0 where the log is in PostgreSQL. */
export function createLogMetrics(registry: Registry) {
  const registers = [registry];
  const written = new Counter({
    name: 'identity_request_log_rows_total',
    help: 'Requests written to the ClickHouse of the log.',
    registers,
  });
  const dropped = new Counter({
    name: 'identity_request_log_dropped_total',
    help: 'Requests that are not in the log because ClickHouse did not take them in time.',
    registers,
  });
  const failures = new Counter({
    name: 'identity_request_log_failures_total',
    help: 'Failed attempts to write to the ClickHouse of the log.',
    registers,
  });
  const waiting = new Gauge({
    name: 'identity_request_log_waiting',
    help: 'Requests that wait to be written to the ClickHouse of the log.',
    registers,
  });
  return {
    written: (rows: number) => written.inc(rows),
    dropped: (rows: number) => dropped.inc(rows),
    failed: () => failures.inc(),
    waiting: (rows: number) => waiting.set(rows),
  };
}
