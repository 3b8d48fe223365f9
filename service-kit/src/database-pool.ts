import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { currentRequest, outsideRequests } from './request-context.ts';
import { Stopwatch } from './stopwatch.ts';

/** Requests that may wait at once, per connection: what stands behind them could not be served in time anyway. */
const maxWaitingPerConnection = 64;

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

interface Waiter {
  /** It is this one's turn. */
  readonly goOn: () => void;
}

/** No connection became free in time. */
export class PoolExhausted extends Error {
  override readonly name = 'PoolExhausted';
}

/** What a pool tells of itself. */
export interface PoolObserver {
  /** A connection was got after so many seconds. */
  waited(seconds: number): void;
  refused(): void;
}

interface ConnectionPoolConfig extends PoolConfig {
  readonly max: number;
  /** Milliseconds that one request may wait for connections, over all its steps. */
  readonly waitLimitMs: number;
}

/**
 * A pool whose queue is bounded in length and time. pg's own lets every step of a request wait anew, so that a request of
 * five steps that is refused in the end has taken a client five times the limit.
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
    // pg tells of it before the connection is free again.
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
    // What a connection reports later is no matter of the request that it was opened for.
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
    next?.goOn();
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
      goOn: () => {
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
    // Never before connect() has returned, as pg does it.
    queueMicrotask(() => connected(new PoolExhausted('no database connection is free'), undefined, () => {}));
  }
}
