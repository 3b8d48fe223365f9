import { Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';

const name = 'gateway_request_duration_seconds';

const help = 'Time to the end of the response, by route';

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** A traced request in a bucket. */
interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** Durations of the requests to one route. */
interface RouteDurations {
  readonly route: string;
  /** Requests per bucket. The last bucket is for durations above all bounds. */
  readonly counts: number[];
  readonly exemplars: (Exemplar | undefined)[];
  sum: number;
}

/** Counts in plain numbers, because prom-client checks the labels and builds a key from them at each observation. */
export class RequestDurations extends Histogram<'route'> {
  readonly #routes = new Map<string, RouteDurations>();

  constructor(registry: Registry) {
    super({ name, help, labelNames: ['route'], registers: [] });
    registry.registerMetric(this);
  }

  /** @param traceId of a sampled request: the exemplar of its bucket */
  add(route: string, seconds: number, traceId: string | undefined): void {
    const durations = this.#routes.get(route) ?? this.#begin(route);
    let bucket = 0;
    while (seconds > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
    durations.sum += seconds;
    if (traceId === undefined) return;
    const timestamp = Date.now() / 1_000;
    durations.exemplars[bucket] = { labelSet: { trace_id: traceId }, value: seconds, timestamp };
  }

  #begin(route: string): RouteDurations {
    const counts = new Array<number>(bounds.length + 1).fill(0);
    const durations = { route, counts, exemplars: [], sum: 0 };
    this.#routes.set(route, durations);
    return durations;
  }

  /** Called by the registry. */
  async getForPromString() {
    const values = [...this.#routes.values()].flatMap(samplesOf);
    return { name, help, type: 'histogram', values };
  }
}

/** As prom-client writes its own: cumulative buckets, sum and count. */
function samplesOf({ route, counts, exemplars, sum }: RouteDurations) {
  const sharedLabels = { route };
  let count = 0;
  const buckets = counts.map((inBucket, index) => {
    count += inBucket;
    const labels = { le: bounds[index] ?? '+Inf' };
    const exemplar = exemplars[index];
    return { metricName: `${name}_bucket`, labels, sharedLabels, value: count, exemplar };
  });
  const total = (suffix: string, value: number) => {
    return { metricName: `${name}_${suffix}`, labels: {}, sharedLabels, value };
  };
  return [...buckets, total('sum', sum), total('count', count)];
}
