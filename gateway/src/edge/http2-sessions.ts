import {
  constants,
  performServerHandshake,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@platform/service-kit/logger.ts';
import { bridgeStream, requestHead } from './http2-bridge.ts';

export interface Http2Options {
  /** Streams of all connections that may be open at a time; more are refused unread. */
  readonly maxStreams: number;
  /** Serves HTTP/1.1 on a connection. */
  readonly serve: (connection: Duplex) => void;
  readonly logger: Logger;
}

/** Beside these, nghttp2 bounds the acknowledgements that may wait, CONTINUATION frames and entries of SETTINGS. */
const limits: SecureServerOptions = {
  // Twice what the edge takes as a head, which can then say 431.
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: 32_768, enablePush: false },
  // Streams that a client may cancel at once, and then per second (CVE-2023-44487).
  streamResetBurst: 300,
  streamResetRate: 30,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Megabytes.
  maxSessionMemory: 32,
};

/** Milliseconds that a connection may be without a stream, and without the client's first frame. */
const idleMs = 60_000;

const settingsTimeoutMs = 10_000;

const sweepMs = 5_000;

/**
 * Streams that a client may cancel before it is told to make a new connection: for each, Node goes on counting what was
 * not sent as memory of the connection (up to 128 kB), and refuses every stream once that reaches its limit.
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

/** Connections that speak HTTP/2. */
export class Http2Sessions {
  readonly #options: Http2Options;
  readonly #connections = new Set<Connection>();
  #streams = 0;
  #isClosing = false;

  constructor(options: Http2Options) {
    this.#options = options;
    setInterval(() => this.#endIdle(performance.now()), sweepMs).unref();
  }

  accept(socket: TLSSocket): void {
    const { remoteAddress } = socket;
    const { serve } = this.#options;
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
    // An error of a connection ends that connection, which Node does by itself.
    session.on('error', () => undefined);
    session.once('remoteSettings', () => {
      connection.hasSettings = true;
    });
    session.on('stream', (stream, _headers, flags, received) => {
      stream.on('error', () => undefined);
      if (stream.destroyed) return;
      if (this.#streams >= this.#options.maxStreams) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        return;
      }
      this.#count(connection, 1);
      stream.once('close', () => this.#count(connection, -1));
      stream.once('aborted', () => {
        if (++connection.aborted === maxAborted) session.close();
      });
      const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
      try {
        bridgeStream(stream, requestHead(received, hasBody), hasBody, { remoteAddress, serve });
      } catch (error) {
        this.#options.logger.error({ err: error }, 'unexpected error');
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    });
    if (this.#isClosing) session.close();
  }

  /**
   * Tells every client to go (GOAWAY). Streams that have begun are finished; later ones are not read, and clients may
   * repeat them elsewhere (RFC 9113 section 6.8).
   */
  close(): void {
    this.#isClosing = true;
    for (const { session } of this.#connections) session.close();
  }

  /** Cuts every connection. */
  destroy(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #count(connection: Connection, change: 1 | -1): void {
    this.#streams += change;
    connection.streams += change;
    connection.idleSince = performance.now();
  }

  /** A client that was told to go and does not is cut at the next round. */
  #endIdle(now: number): void {
    for (const { session, socket, streams, hasSettings, idleSince } of this.#connections) {
      const idleFor = now - idleSince;
      if (streams > 0 || idleFor < sweepMs) continue;
      if (session.closed || session.destroyed) socket.destroy();
      else if (idleFor >= (hasSettings ? idleMs : settingsTimeoutMs)) session.close();
    }
  }
}
