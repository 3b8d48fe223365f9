import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

interface ClientSharesOptions {
  /** Maximum number of connections, and of HTTP/2 requests, for one client (an IPv4 address or an IPv6 network). */
  readonly perClient: number;
  /** Whether an address belongs to a proxy. Proxies carry many clients and are exempt from the limit per client. */
  readonly isTrusted: (address: string) => boolean;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Takes a place for an address. @returns a function that releases it; undefined when none is left */
export type TakePlace = (address: string | undefined) => (() => void) | undefined;

const logEveryMs = 60_000;

/** Limits the share of connections, and of HTTP/2 requests, that one client can take. */
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
