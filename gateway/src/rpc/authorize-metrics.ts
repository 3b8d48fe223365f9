import { Histogram, type Registry } from '@platform/service-kit/metrics.ts';
import type { ConcurrencyLimitOptions } from './concurrency-limit.ts';

/** Tells time spent waiting for a turn from time spent by identity-service: more replicas help against the first. */
export type AuthorizeMetrics = Pick<ConcurrencyLimitOptions, 'onWaited' | 'onServed'>;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createAuthorizeMetrics(registry: Registry): AuthorizeMetrics {
  const waits = new Histogram({
    name: 'gateway_authorize_wait_seconds',
    help: 'Time that questions to identity-service waited for their turn, of those that had to',
    buckets,
    registers: [registry],
  });
  const calls = new Histogram({
    name: 'gateway_authorize_call_seconds',
    help: 'Time that identity-service took to answer a question, or to fail',
    buckets,
    registers: [registry],
  });
  return { onWaited: (ms) => waits.observe(ms / 1000), onServed: (ms) => calls.observe(ms / 1000) };
}
