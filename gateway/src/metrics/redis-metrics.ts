import { Counter, Gauge, type Registry } from '@platform/service-kit/metrics.ts';

/**
 * Shows whether Redis is up, and counts its losses.
 * @returns to be called whenever it was lost or is back
 */
export function createRedisMetrics(registry: Registry, isUp: () => boolean): () => void {
  new Gauge({
    name: 'gateway_redis_up',
    help: '1 while Redis answers in time; 0 while the gateway does without.',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
  const lost = new Counter({
    name: 'gateway_redis_lost_total',
    help: 'How often Redis was lost.',
    registers: [registry],
  });
  return () => {
    if (!isUp()) lost.inc();
  };
}
