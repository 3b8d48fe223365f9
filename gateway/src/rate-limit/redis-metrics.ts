import { Counter, Gauge, Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';

/** Events of the gateway's connection to Redis. */
interface RedisMetrics {
  /** Redis became unreachable or reachable. */
  onChange(isUp: boolean): void;
  /** A probe took so many milliseconds, also one that failed. */
  onProbed(ms: number): void;
}

/** Seconds: the budget of a command is 0.05. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];

/**
 * Exports whether Redis is reachable. Until `onChange` says so, and always without a configured Redis, the gateway counts
 * on its own.
 * @param monotonicNow milliseconds
 */
export function createRedisMetrics(registry: Registry, monotonicNow: () => number): RedisMetrics {
  const registers = [registry];
  let downSince: number | undefined = monotonicNow();
  let pastSeconds = 0;
  const currentSeconds = () => (downSince === undefined ? 0 : (monotonicNow() - downSince) / 1000);
  new Gauge({
    name: 'gateway_redis_up',
    help: '1 while Redis is reachable; 0 while the gateway runs without it.',
    registers,
    collect() {
      this.set(downSince === undefined ? 1 : 0);
    },
  });
  new Counter({
    name: 'gateway_limiter_degraded_seconds_total',
    help: 'Seconds for which the limiter of this process stood in for Redis.',
    registers,
    collect() {
      this.reset();
      this.inc(pastSeconds + currentSeconds());
    },
  });
  const lost = new Counter({
    name: 'gateway_redis_lost_total',
    help: 'Number of times that Redis became unreachable.',
    registers,
  });
  const probes = new Histogram({
    name: 'gateway_redis_probe_seconds',
    help: 'Duration of the probes of Redis, of which there are five a second.',
    buckets,
    registers,
  });
  return {
    onChange: (isUp) => {
      pastSeconds += currentSeconds();
      downSince = isUp ? undefined : monotonicNow();
      if (!isUp) lost.inc();
    },
    onProbed: (ms) => probes.observe(ms / 1000),
  };
}
