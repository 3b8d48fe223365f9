import { Counter, collectDefaultMetrics, type OpenMetricsContentType, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Milliseconds between samples of the event loop's delay. The default of 10 takes a quarter of an idle process's CPU time. */
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
      // OpenMetrics names counters without `_total`. prom-client renames the object, so it gets a copy of ours.
      if (metric !== undefined) {
        registry.registerMetric(metric instanceof Counter ? Object.create(metric) : metric);
      }
    }
    return registry.metrics();
  }
}

/** A registry with the default metrics of the process, labeled by service, and by worker if a service has several. */
export function createRegistry(
  service: string,
  labels: Readonly<Record<string, string>> = {},
): ServiceRegistry {
  return new ServiceRegistry({ service, ...labels });
}

/** One of the types that an Accept header names (RFC 9110, section 12.5.1). */
interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function mediaRangesIn(accept: string): MediaRange[] {
  const ranges = accept.toLowerCase().replaceAll(/["\s]/g, '').split(',');
  return ranges.map((range) => {
    const [type = '', ...parameters] = range.split(';');
    return { type, parameters: new Map(parameters.map(pairOf)) };
  });
}

function pairOf(parameter: string): [name: string, value: string] {
  const [name = '', value = ''] = parameter.split('=');
  return [name, value];
}

const isText = ({ type }: MediaRange) => ['text/plain', 'text/*', '*/*'].includes(type);

/** Whether a media range is OpenMetrics in the version that is supported here, or in any. */
const isOpenMetrics = ({ type, parameters }: MediaRange) =>
  type === 'application/openmetrics-text' && (parameters.get('version') ?? '1.0.0') === '1.0.0';

/**
 * The format that a scraper prefers: OpenMetrics if it accepts that and does not prefer text.
 * @param accept its header; undefined without one
 */
export function preferredFormat(accept = ''): MetricsFormat {
  const ranges = mediaRangesIn(accept);
  const weightOf = (isMeant: (range: MediaRange) => boolean) => {
    const weights = ranges.filter(isMeant).map(({ parameters }) => Number(parameters.get('q') ?? 1) || 0);
    return Math.max(0, ...weights);
  };
  const weight = weightOf(isOpenMetrics);
  return weight > 0 && weight >= weightOf(isText) ? 'openMetrics' : 'text';
}
