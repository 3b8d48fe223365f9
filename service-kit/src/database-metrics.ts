import type { ConnectionPool, PoolObserver } from './database-pool.ts';
import { Counter, Gauge, Histogram, type Registry } from './metrics.ts';

/** Measures of a service's connections to its database. */
export interface PoolMetrics extends PoolObserver {
  /** Shows this pool with every scrape from now on. */
  watch(pool: ConnectionPool): void;
}

export function createPoolMetrics(registry: Registry): PoolMetrics {
  const registers = [registry];
  const waits = new Histogram({
    name: 'database_pool_wait_seconds',
    help: 'Time until a request had a connection to the database; 0 where one was free.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8],
    registers,
  });
  const refused = new Counter({
    name: 'database_pool_refused_total',
    help: 'Requests that were refused because no connection became free in time.',
    registers,
  });
  return {
    waited: (seconds) => waits.observe(seconds),
    refused: () => refused.inc(),
    watch: (pool) => {
      const shown: readonly [string, string, () => number][] = [
        ['database_pool_size', 'Connections to the database at most.', () => pool.options.max],
        ['database_pool_open', 'Connections to the database that are open.', () => pool.totalCount],
        ['database_pool_idle', 'Open connections that no request uses.', () => pool.idleCount],
        ['database_pool_waiting', 'Requests that wait for a connection.', () => pool.waiting],
      ];
      for (const [name, help, read] of shown) {
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      }
    },
  };
}
