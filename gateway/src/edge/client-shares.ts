import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

interface ClientSharesOptions {
  /** Connections of one client (an address, or a network of IPv6), and as many requests over HTTP/2. */
  readonly perClient: number;
  /** Whether an address is that of a proxy, which brings many clients. */
  readonly isTrusted: (address: string) => boolean;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Takes a place for an address. @returns how to give it back; undefined where there is none */
export type TakePlace = (address: string | undefined) => (() => void) | undefined;

const logEveryMs = 60_000;

/** Bounds what one client takes of the connections, and of the requests over HTTP/2. */
export class ClientShares {
  readonly #options: ClientSharesOptions;
  readonly #refused: Counter<'limit'>;
  readonly #logClient: (client: string) => void;

  constructor(options: ClientSharesOptions) {
    this.#options = options;
    this.#refused = new Counter({
      name: 'gateway_connections_refused_total',
      help: 'Connections, and requests over HTTP/2, refused at a limit: of one client, or of all',
      labelNames: ['limit'],
      registers: [options.registry],
    });
    for (const limit of ['client', 'all']) this.#refused.inc({ limit }, 0);
    this.#logClient = logRarely(logEveryMs, (_, client) =>
      options.logger.warn({ client }, 'a client has as many connections as one may have'),
    );
  }

  /** @param total places for all clients together */
  places(total: number): TakePlace {
    const { perClient, isTrusted } = this.#options;
    const places = new KeyedSemaphore({ total, limitFor: () => perClient });
    return (address) => {
      // The connection is closed already.
      if (address === undefined) return undefined;
      const client = addressBlock(address);
      const keys = isTrusted(address) ? [] : [client];
      if (places.tryAcquire(keys)) return () => places.release(keys);
      if (keys.some((key) => places.isAtLimit(key))) this.#reportClient(client);
      else this.#refused.inc({ limit: 'all' });
      return undefined;
    };
  }

  #reportClient(client: string): void {
    this.#refused.inc({ limit: 'client' });
    this.#logClient(client);
  }
}
