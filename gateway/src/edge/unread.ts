import type { Socket } from 'node:net';
import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import { type Connection, currentResponseOn, waitingBytes } from './pipelining.ts';

/** A stream of HTTP/2 as a connection to the edge server. */
export interface BridgedStream {
  /** The client's connection. */
  readonly carrier: Socket;
  /** Bytes of memory that the client has not read. */
  unreadBytes(): number;
}

/** A connection of a client, or one in memory. */
type Watched = Connection & Partial<BridgedStream> & Partial<Pick<Socket, 'bytesWritten'>>;

const progress = Symbol('progress');

/** The client's connection. */
interface Carrier extends Pick<Watched, 'bytesWritten' | 'destroyed' | 'destroy'> {
  /** Bytes held, and written so far, at a moment (monotonic milliseconds). */
  [progress]?: { readonly written: number; readonly bytes: number; readonly since: number } | undefined;
}

/** Bytes and responses that one connection holds at a moment. */
interface Held {
  /** Address, or network of IPv6, of its client. */
  readonly client: string;
  /** Since when (monotonic milliseconds) the client has not read what this connection held. */
  readonly since: number;
  bytes: number;
}

interface HeldBy extends Held {
  readonly carrier: Carrier;
}

const bounds = ['client', 'process'] as const;

type Bound = (typeof bounds)[number];

/** Maximum number of bytes that clients have not read: in this process, and for one client. */
type Limits = Readonly<Record<Bound, number>>;

const limits: Limits = { process: 32 * 1024 * 1024, client: 20 * 1024 * 1024 };

const sweepMs = 100;

/** Added to the stalled time of every connection, so that for short stalls the amount of unread data decides. */
const slowMs = 1_000;

const logEveryMs = 60_000;

const sumOf = (held: readonly Held[]) => held.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Connections to close so that the others are within the limits. They are ordered by the unread bytes of their client
 * times the time for which it has read nothing on the connection.
 */
export function beyondLimits<H extends Held>(held: readonly H[], limits: Limits, now: number): [H, Bound][] {
  let total = sumOf(held);
  const byClient = new Map<string, number>();
  const ofClient = ({ client }: Held) => byClient.get(client) ?? 0;
  for (const one of held) byClient.set(one.client, ofClient(one) + one.bytes);
  const boundMet = (one: Held): Bound | undefined => {
    if (ofClient(one) > limits.client) return 'client';
    return total > limits.process ? 'process' : undefined;
  };
  if (!held.some(boundMet)) return [];
  const beyond: [H, Bound][] = [];
  const costs = new Map(held.map((one) => [one, ofClient(one) * (now - one.since + slowMs)]));
  for (const one of held.toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0))) {
    const bound = boundMet(one);
    if (bound === undefined) continue;
    beyond.push([one, bound]);
    total -= one.bytes;
    byClient.set(one.client, ofClient(one) - one.bytes);
  }
  return beyond;
}

/** Limits the memory of unread responses and of the requests that wait behind them, per client and per process. */
export class UnreadResponses {
  readonly #log: (closed: Held, bound: Bound) => void;
  readonly #closed: Counter<'bound'>;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(registry: Registry, logger: Logger) {
    this.#log = logRarely(logEveryMs, (closed, { client, bytes }, bound) =>
      logger.warn({ client, bytes, bound, closed }, 'closed connections of clients that do not read'),
    );
    this.#closed = new Counter({
      name: 'gateway_unread_closed_total',
      help: 'Connections closed because clients do not read their responses, by the bound that was met',
      labelNames: ['bound'],
      registers: [registry],
    });
    for (const bound of bounds) this.#closed.inc({ bound }, 0);
    const bytes = () => this.#bytes;
    new Gauge({
      name: 'gateway_unread_bytes',
      help: 'Bytes of responses that clients have not read, and of requests behind them',
      registers: [registry],
      collect() {
        this.set(bytes());
      },
    });
  }

  /** Watches a connection with a request until it holds nothing. */
  watch(connection: Watched): void {
    this.#watched.add(connection);
    this.#timer ??= setInterval(() => this.#sweep(performance.now()), sweepMs).unref();
  }

  #sweep(now: number): void {
    const held = this.#measure(now);
    this.#bytes = sumOf(held);
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [one, bound] of beyondLimits(held, limits, now)) {
      one.carrier.destroy();
      this.#bytes -= one.bytes;
      this.#closed.inc({ bound });
      this.#log(one, bound);
    }
  }

  /** Connections with unread data. Stops watching those without unread data and without a response in progress. */
  #measure(now: number): HeldBy[] {
    const held = new Map<Carrier, Pick<HeldBy, 'client'> & { bytes: number }>();
    const empty: Carrier[] = [];
    for (const connection of this.#watched) {
      const carrier: Carrier = connection.carrier ?? connection;
      const bytes = carrier.destroyed ? 0 : bytesOn(connection);
      const response = currentResponseOn(connection);
      if (bytes > 0 && response !== undefined) {
        const known = held.get(carrier);
        if (known !== undefined) known.bytes += bytes;
        else held.set(carrier, { client: addressBlock(response.req.exchange.clientIp), bytes });
        continue;
      }
      empty.push(carrier);
      if (carrier.destroyed || connection.destroyed || response?.closed !== false)
        this.#watched.delete(connection);
    }
    forgetProgress(empty.filter((carrier) => !held.has(carrier)));
    return [...held].map(([carrier, { client, bytes }]) => {
      return { carrier, client, bytes, since: stalledSince(carrier, bytes, now) };
    });
  }
}

/** Called for connections whose client has read everything, so that later data starts a new stalled time. */
function forgetProgress(carriers: readonly Carrier[]): void {
  for (const carrier of carriers) carrier[progress] = undefined;
}

function bytesOn(connection: Watched): number {
  return connection.unreadBytes?.() ?? connection.writableLength + waitingBytes(connection);
}

/** A connection has progressed once all bytes held at the last measurement were sent. PING frames are not progress. */
function stalledSince(carrier: Carrier, bytes: number, now: number): number {
  const { bytesWritten: written = 0 } = carrier;
  const known = carrier[progress];
  if (known !== undefined && written - known.written < known.bytes) return known.since;
  carrier[progress] = { written, bytes, since: now };
  return now;
}
