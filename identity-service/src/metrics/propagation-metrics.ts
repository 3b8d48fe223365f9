import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';

/** Counts businesses whose gateways have not been told of their latest generation. */
export function createPendingGauge(registry: Registry): Gauge {
  return new Gauge({
    name: 'identity_propagation_pending',
    help: 'Businesses whose latest credential generation has not reached Redis yet.',
    registers: [registry],
  });
}
