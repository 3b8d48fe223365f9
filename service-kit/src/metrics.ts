import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** A registry with the default metrics of the process, labelled by service, and by more where several processes are one. */
export function createRegistry(service: string, labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service, ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}
