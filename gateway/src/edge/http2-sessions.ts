import {
  constants,
  performServerHandshake,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { TakePlace } from './client-shares.ts';
import { bridgeStream, requestHead } from './http2-bridge.ts';

interface Http2Options {
  /** For each open stream; without one it is refused unread. */
  readonly takePlace: TakePlace;
  /** Serves HTTP/1.1 on a connection. */
  readonly serve: (connection: Duplex) => void;
  readonly logger: Logger;
}

/** nghttp2 itself bounds pending acknowledgements, CONTINUATION frames and entries of SETTINGS. */
const limits: SecureServerOptions = {
  // Twice the head size of the edge, so that the edge can respond 431.
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: 32_768, enablePush: false },
  // Cancelled streams: burst, and rate per second (CVE-2023-44487).
  streamResetBurst: 300,
  streamResetRate: 30,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Megabytes.
  maxSessionMemory: 32,
};

/** Milliseconds that a connection may have no stream, and may wait for the client's SETTINGS. */
const idleMs = 60_000;

const settingsTimeoutMs = 10_000;

const sweepMs = 5_000;

/**
 * Cancelled streams before the client must reconnect: Node keeps counting the unsent bytes of each (up to 128 kB) as
 * memory of the connection, and refuses every stream at its limit.
 */
const maxAborted = 100;

interface Connection {
  readonly session: ServerHttp2Session;
  readonly socket: TLSSocket;
  hasSettings: boolean;
  streams: number;
  aborted: number;
  idleSince: number;
}

/** HTTP/2 connections. */
export class Http2Sessions {
  readonly #options: Http2Options;
  readonly #connections = new Set<Connection>();
  #isClosing = false;

  constructor(options: Http2Options) {
    this.#options = options;
    setInterval(() => this.#endIdle(performance.now()), sweepMs).unref();
  }

  accept(socket: TLSSocket): void {
    const { remoteAddress } = socket;
    const { serve, takePlace } = this.#options;
    const session = performServerHandshake(socket, limits);
    const connection: Connection = {
      session,
      socket,
      hasSettings: false,
      streams: 0,
      aborted: 0,
      idleSince: performance.now(),
    };
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    // Node ends the connection by itself.
    session.on('error', () => undefined);
    session.once('remoteSettings', () => {
      connection.hasSettings = true;
    });
    session.on('stream', (stream, _headers, flags, received) => {
      stream.on('error', () => undefined);
      if (stream.destroyed) return;
      const leave = takePlace(remoteAddress);
      if (leave === undefined) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        return;
      }
      count(connection, 1);
      stream.once('close', leave).once('close', () => count(connection, -1));
      stream.once('aborted', () => {
        if (++connection.aborted === maxAborted) session.close();
      });
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      try {
        bridgeStream(stream, requestHead(received, hasBody), hasBody, { carrier: socket, serve });
      } catch (error) {
        this.#options.logger.error({ err: error }, 'unexpected error');
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    });
    if (this.#isClosing) session.close();
  }

  /**
   * Sends GOAWAY to every client. Open streams finish; later ones are not processed, so that clients may retry them
   * elsewhere (RFC 9113 section 6.8).
   */
  close(): void {
    this.#isClosing = true;
    for (const { session } of this.#connections) session.close();
  }

  /** Destroys every connection. */
  destroy(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  /** Closes idle connections; destroys those that stay open after GOAWAY. */
  #endIdle(now: number): void {
    for (const { session, socket, streams, hasSettings, idleSince } of this.#connections) {
      const idleFor = now - idleSince;
      if (streams > 0 || idleFor < sweepMs) continue;
      if (session.closed || session.destroyed) socket.destroy();
      else if (idleFor >= (hasSettings ? idleMs : settingsTimeoutMs)) session.close();
    }
  }
}

function count(connection: Connection, change: 1 | -1): void {
  connection.streams += change;
  connection.idleSince = performance.now();
}
