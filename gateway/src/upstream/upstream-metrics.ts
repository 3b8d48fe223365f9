import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { Upstreams } from './forward.ts';

/** How the places at each upstream are taken and waited for, read when the metrics are. */
export function registerUpstreamMetrics(registry: Registry, upstreams: Upstreams): void {
  const labelNames = ['upstream'];
  const entries = Object.entries(upstreams);
  const shared = { labelNames, registers: [registry] };
  new Gauge({
    ...shared,
    name: 'gateway_upstream_requests',
    help: 'Requests under way at an upstream, each in a place of its own',
    collect() {
      for (const [upstream, { queue }] of entries) this.set({ upstream }, queue.taken);
    },
  });
  new Gauge({
    ...shared,
    name: 'gateway_upstream_waiting',
    help: 'Requests that wait for a place at an upstream',
    collect() {
      for (const [upstream, { queue }] of entries) this.set({ upstream }, queue.waiting);
    },
  });
  new Gauge({
    ...shared,
    name: 'gateway_upstream_connections',
    help: 'Open connections to an upstream',
    collect() {
      for (const [upstream, { agent }] of entries) this.set({ upstream }, agent.connections);
    },
  });
  new Counter({
    ...shared,
    name: 'gateway_upstream_waits_total',
    help: 'Requests that found no place at an upstream at once, by what became of them',
    labelNames: ['upstream', 'outcome'],
    collect() {
      this.reset();
      for (const [upstream, { queue }] of entries) {
        for (const [outcome, count] of Object.entries(queue.waits)) this.inc({ upstream, outcome }, count);
      }
    },
  });
}
