import { Counter, collectDefaultMetrics, type OpenMetricsContentType, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Milliseconds between samples of the event loop's delay: every 10, the default, they are a quarter of an idle process's CPU. */
const eventLoopMonitoringPrecision = 50;

/** Media types of metrics: Prometheus's text, and that of OpenMetrics, which has exemplars. */
export const metricsFormats = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;

/** One of the formats. */
export type MetricsFormat = keyof typeof metricsFormats;

/** The metrics of a process, with labels that all of them have. */
export class ServiceRegistry extends Registry {
  readonly #labels: Readonly<Record<string, string>>;

  constructor(labels: Readonly<Record<string, string>>) {
    super();
    this.#labels = labels;
    this.setDefaultLabels(labels);
    collectDefaultMetrics({ register: this, eventLoopMonitoringPrecision });
  }

  /** The metrics as text. Samples have the same names and labels in both formats. */
  async metricsIn(format: MetricsFormat): Promise<string> {
    if (format === 'text') return this.metrics();
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(metricsFormats.openMetrics);
    registry.setDefaultLabels(this.#labels);
    for (const { name } of this.getMetricsAsArray()) {
      const metric = this.getSingleMetric(name);
      // OpenMetrics names a counter without `_total`, and prom-client would rename ours: it renames a view of it.
      if (metric !== undefined) {
        registry.registerMetric(metric instanceof Counter ? Object.create(metric) : metric);
      }
    }
    return registry.metrics();
  }
}

/** A registry with the default metrics of the process, labelled by service, and by more where several processes are one. */
export function createRegistry(
  service: string,
  labels: Readonly<Record<string, string>> = {},
): ServiceRegistry {
  return new ServiceRegistry({ service, ...labels });
}

/** The version of OpenMetrics that is spoken here, or any. */
const openMetricsRange =
  /^application\/openmetrics-text(?!.*;\s*version=(?!"?1\.0\.0"?\s*(?:;|$)))\s*(?:;|$)/i;

const textRange = /^(?:text\/plain|text\/\*|\*\/\*)\s*(?:;|$)/i;

/**
 * The format that a scraper prefers: OpenMetrics where it names that, and does not like text better.
 * @param accept its header; undefined without one
 */
export function preferredFormat(accept = ''): MetricsFormat {
  const ranges = accept.split(',').map((range) => range.trim());
  const qualityOf = (media: RegExp) =>
    Math.max(0, ...ranges.filter((range) => media.test(range)).map(qualityIn));
  const quality = qualityOf(openMetricsRange);
  return quality > 0 && quality >= qualityOf(textRange) ? 'openMetrics' : 'text';
}

/** Weight of a media range (RFC 9110, section 12.4.2); 0 where it is not a number. */
function qualityIn(range: string): number {
  const [, weight = '1'] = /;\s*q=([^;\s]*)/i.exec(range) ?? [];
  return Number(weight) || 0;
}
