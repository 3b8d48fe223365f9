import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';

/** Measures authorizations. */
export interface AuthorizeMetrics {
  /** Starts a measurement; calling the result with the outcome ends it. */
  start(): (outcome: string) => void;
  /** Milliseconds that a lookup waited for its turn. */
  observeWait(ms: number): void;
  /** Milliseconds that a query took. */
  observeQuery(ms: number): void;
}

const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** Duration and, by its count, number of authorizations, by outcome. */
export function createAuthorizeMetrics(registry: Registry): AuthorizeMetrics {
  const duration = new Histogram({
    name: 'identity_authorize_duration_seconds',
    help: 'Time that an Authorize call took, by outcome.',
    labelNames: ['outcome'],
    buckets,
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'identity_lookup_wait_seconds',
    help: 'Time that the lookup of a credential waited for its turn.',
    buckets,
    registers: [registry],
  });
  const queries = new Histogram({
    name: 'identity_lookup_query_seconds',
    help: 'Time that a query for credentials took.',
    buckets,
    registers: [registry],
  });
  return {
    start: () => {
      const end = duration.startTimer();
      return (outcome) => {
        end({ outcome });
      };
    },
    observeWait: (ms) => waits.observe(ms / 1000),
    observeQuery: (ms) => queries.observe(ms / 1000),
  };
}
