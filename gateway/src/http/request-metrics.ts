import { Counter, Histogram, type Registry } from '@platform/service-kit/metrics.ts';

export interface RequestMetrics {
  /**
   * `ms` from the first byte of the request to the last of the answer; `refusal`: why the gateway itself answered, absent
   * where the upstream did.
   */
  observe(route: string, status: number, ms: number, refusal: string | undefined): void;
  /** An exception in the handling of one request. */
  countUnexpected(): void;
}

/** Requests by route and status, and their durations by route. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time to the end of the answer, by route',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const unexpected = new Counter({
    name: 'gateway_unexpected_errors_total',
    help: 'Exceptions in the handling of a request; each cost that request its response',
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'gateway_refusals_total',
    help: 'Requests that the gateway itself answered, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Finding the child of a label set costs more than counting in it.
  const children = new Map<string, () => void>();
  return {
    countUnexpected: () => unexpected.inc(),
    observe: (route, status, ms, refusal) => {
      if (refusal !== undefined) refusals.inc({ reason: refusal });
      const key = `${route} ${status}`;
      let count = children.get(key);
      if (count === undefined) {
        const child = requests.labels(route, String(status));
        count = () => child.inc();
        children.set(key, count);
      }
      count();
      durations.labels(route).observe(ms / 1000);
    },
  };
}
