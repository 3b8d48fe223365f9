import { Counter, Gauge, Histogram, type Registry } from '../telemetry/metrics.ts';
import { currentRequest, outsideRequests, Stopwatch } from '../telemetry/request-context.ts';
import { Pool, type PoolClient, type PoolConfig } from './connection.ts';

/** Requests that may wait, per connection. Any further request would time out anyway. */
const maxWaitingPerConnection = 64;

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

interface Waiter {
  /** Called when a connection is free. */
  readonly resume: () => void;
}

/** No connection became free in time. */
class PoolExhausted extends Error {
  override readonly name = 'PoolExhausted';
}

/** Events of a pool. */
interface PoolObserver {
  /** A request got a connection after so many seconds. */
  waited(seconds: number): void;
  refused(): void;
}

interface ConnectionPoolConfig extends PoolConfig {
  readonly max: number;
  /** Milliseconds that one request may wait for connections, over all its steps. */
  readonly waitLimitMs: number;
}

/**
 * A pool whose queue is limited in length and time. In pg's own pool the time limit applies to each query separately, so a
 * request with five queries could wait five times as long.
 */
export class ConnectionPool extends Pool {
  readonly #max: number;
  readonly #waitLimitMs: number;
  readonly #observer: PoolObserver;
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  constructor({ waitLimitMs, ...config }: ConnectionPoolConfig, observer: PoolObserver) {
    super(config);
    this.#max = config.max;
    this.#waitLimitMs = waitLimitMs;
    this.#observer = observer;
    // Deferred, because pg emits the event before the connection is free.
    this.on('release', () => queueMicrotask(() => this.#giveBack()));
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Connections in use, or being opened for a request. */
  get taken(): number {
    return this.#taken;
  }

  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | undefined {
    if (connected !== undefined) {
      this.#takeTurn(connected);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#takeTurn((error, client) => {
        if (client === undefined) reject(error);
        else resolve(client);
      });
    });
  }

  #takeTurn(connected: Connected): void {
    if (this.#taken < this.#max) this.#open(connected, 0);
    else this.#wait(connected);
  }

  #open(connected: Connected, waitedMs: number): void {
    this.#taken++;
    this.#observer.waited(waitedMs / 1000);
    // Later events of a connection do not belong to the request that it was opened for.
    outsideRequests(() =>
      super.connect((error, client, done) => {
        if (client === undefined) this.#giveBack();
        connected(error, client, done);
      }),
    );
  }

  #giveBack(): void {
    this.#taken--;
    const [next] = this.#waiting;
    next?.resume();
  }

  #wait(connected: Connected): void {
    const watch = currentRequest()?.connectionWaits ?? new Stopwatch();
    const startedAt = performance.now();
    const leftMs = this.#waitLimitMs - watch.elapsed(startedAt);
    if (leftMs <= 0 || this.#waiting.size >= this.#max * maxWaitingPerConnection) {
      this.#refuse(connected);
      return;
    }
    watch.start(startedAt);
    const end = () => {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
      watch.stop(performance.now());
    };
    const waiter: Waiter = {
      resume: () => {
        end();
        this.#open(connected, performance.now() - startedAt);
      },
    };
    const timer = setTimeout(() => {
      end();
      this.#refuse(connected);
    }, leftMs);
    this.#waiting.add(waiter);
  }

  #refuse(connected: Connected): void {
    this.#observer.refused();
    // After connect() has returned, as pg does.
    queueMicrotask(() => connected(new PoolExhausted('no database connection is free'), undefined, () => {}));
  }
}

/** Metrics of a service's connections to its database. */
interface PoolMetrics extends PoolObserver {
  /** Adds the gauges of a pool. */
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
    help: 'Requests refused because no connection became free in time.',
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
