import type { Refusal } from '@platform/protos/vocabulary';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Span } from '@platform/service-kit/telemetry/span.ts';
import { RequestDurations } from './request-durations.ts';

export interface RequestMetrics {
  /**
   * A request without a duration: one that could not be read.
   * @param refusal reason of a response by the gateway itself; undefined for the upstream's
   */
  count(route: string, status: number, refusal: string | undefined): void;
  /**
   * The same with its duration.
   * @param ms from the start of the request to the end of the response
   * @param span of the request: where it is sampled, its trace is the exemplar of the duration
   */
  observe(
    route: string,
    status: number,
    ms: number,
    refusal: string | undefined,
    span: Span | undefined,
  ): void;
  /** Counts an exception in the handling of one request. */
  countUnexpected(): void;
}

/** Refusals that an alarm counts. */
const guesses: readonly Refusal[] = ['unknown', 'unknown_limited'];

/** Statuses of errors, by the gateway and by its upstreams. */
const errorStatuses = [500, 502, 503, 504];

/** Requests by route and status, and their durations by route. @param routeNames of the route table */
export function createRequestMetrics(registry: Registry, routeNames: readonly string[]): RequestMetrics {
  // Counts in plain numbers, because prom-client builds a key from the labels at each increment.
  // Errors start at 0: Prometheus sees no increase in a new series, so the first errors of a route would raise no alarm.
  const counts = new Map(
    routeNames.map((route) => [route, new Map(errorStatuses.map((status) => [status, 0]))]),
  );
  new Counter({
    name: 'gateway_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [route, byStatus] of counts)
        for (const [status, count] of byStatus) this.inc({ route, status: String(status) }, count);
    },
  });
  const durations = new RequestDurations(registry);
  const unexpected = new Counter({
    name: 'gateway_unexpected_errors_total',
    help: 'Exceptions in the handling of a request; each turned its response into a 500',
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'gateway_refusals_total',
    help: 'Error responses of the gateway itself, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of guesses) refusals.inc({ reason }, 0);
  const countsOf = (route: string) => {
    const byStatus = new Map<number, number>();
    counts.set(route, byStatus);
    return byStatus;
  };
  const count: RequestMetrics['count'] = (route, status, refusal) => {
    if (refusal !== undefined) refusals.inc({ reason: refusal });
    const byStatus = counts.get(route) ?? countsOf(route);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  };
  return {
    count,
    countUnexpected: () => unexpected.inc(),
    observe: (route, status, ms, refusal, span) => {
      count(route, status, refusal);
      durations.add(route, ms / 1000, span?.isSampled === true ? span.traceId : undefined);
    },
  };
}
