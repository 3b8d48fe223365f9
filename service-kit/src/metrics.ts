import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Milliseconds between samples of the event loop's delay: every 10, the default, they are a quarter of an idle process's CPU. */
const eventLoopMonitoringPrecision = 50;

/** A registry with the default metrics of the process, labelled by service, and by more where several processes are one. */
export function createRegistry(service: string, labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service, ...labels });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  return registry;
}
