import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { createLookup, LookupError } from '../addresses/lookup.ts';
import { type AddressRules, findUrlError } from '../addresses/url.ts';
import type { SignatureHeaders } from '../signing/secret.ts';
import { createReceiverAgents, type ReceiverAgents, type ReceiverRequestOptions } from './http-agents.ts';
import { type AttemptResult, type Outcome, outcomeOf, parseRetryAfter, textOf } from './result.ts';

/** One attempt to deliver an event. */
export interface Attempt {
  /** Of the endpoint, as `checkEndpointUrl` accepted it. */
  readonly url: string;
  /** The only headers that a caller chooses. */
  readonly headers: SignatureHeaders;
  /** The signed text, sent as UTF-8. */
  readonly body: string;
  /** Milliseconds over which the body is sent; at once where absent. */
  readonly bodyMs?: number;
  /** Ends the attempt as `cancelled`. */
  readonly signal: AbortSignal;
}

/** Sends attempts. Never rejects: every behavior of a receiver becomes a result. */
export interface Sender {
  sendAttempt(attempt: Attempt): Promise<AttemptResult>;
  /** Closes idle connections and ends lookups. Attempts in flight end by their signals. */
  close(): void;
}

export interface SenderOptions {
  readonly rules: AddressRules;
  /** DNS servers as `address:port`; those of the machine where absent. */
  readonly dnsServers?: readonly string[];
  /** Milliseconds for lookup, connection, request and response together. */
  readonly limitMs: number;
}

/** Same in every request to every receiver. */
export const userAgent = 'Business-API-Webhooks/1.0';

/** Bytes of a response that are read, head included. */
const maxReadBytes = 65_536;

/** Bytes of a response's body that are kept. */
const maxKeptBytes = 4_096;

const maxHeaderBytes = 16_384;

export function createSender({ rules, dnsServers, limitMs }: SenderOptions): Sender {
  const servers = dnsServers === undefined ? {} : { servers: dnsServers };
  const names = createLookup({ rules, ...servers });
  const agents = createReceiverAgents(names.lookup);
  return {
    sendAttempt: async (attempt) => {
      const startedAt = performance.now();
      const end = await (findUrlError(attempt.url, rules) === undefined
        ? exchange(agents, attempt, limitMs)
        : { outcome: 'address_not_allowed' as const, errorCode: 'EACCES' });
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...noResponse, ...end, durationMs };
    },
    close: () => {
      names.close();
      agents.close();
    },
  };
}

/** A result but for its time. */
type End = Pick<AttemptResult, 'outcome'> & Partial<AttemptResult>;

const noResponse = {
  status: undefined,
  responseStart: '',
  retryAfterMs: undefined,
  errorCode: undefined,
} satisfies Partial<AttemptResult>;

/** Runs the exchange. Destroys the connection at the time limit or when the signal aborts. */
async function exchange(agents: ReceiverAgents, attempt: Attempt, limitMs: number): Promise<End> {
  const stop = new AbortController();
  let cause: Outcome = 'timed_out';
  const cancel = () => {
    cause = 'cancelled';
    stop.abort();
  };
  // Timers run before sockets are read, immediates after. So a response that arrived while this process was busy counts.
  const timer = setTimeout(() => setImmediate(() => stop.abort()), limitMs);
  attempt.signal.addEventListener('abort', cancel, { once: true });
  if (attempt.signal.aborted) cancel();
  try {
    const end = await request(agents, 'kept', attempt, stop.signal);
    // If the receiver closed an idle connection just as it was used (RFC 9112 section 9.3.1), retries on a new one.
    const last = end === 'stale' ? await request(agents, 'fresh', attempt, stop.signal) : end;
    if (last === 'stale') return { outcome: 'connection_failed', errorCode: 'ECONNRESET' };
    return stop.signal.aborted ? { ...last, outcome: cause, errorCode: undefined } : last;
  } finally {
    clearTimeout(timer);
    attempt.signal.removeEventListener('abort', cancel);
  }
}

function request(
  agents: ReceiverAgents,
  kind: 'kept' | 'fresh',
  { url, headers, body, bodyMs = 0 }: Attempt,
  signal: AbortSignal,
): Promise<End | 'stale'> {
  const { protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  const options: ReceiverRequestOptions = {
    method: 'POST',
    agent: agents[kind][isPlain ? 'http:' : 'https:'],
    headers: {
      ...headers,
      'User-Agent': userAgent,
      Accept: '*/*',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
    maxHeaderSize: maxHeaderBytes,
    endpointUrl: url,
    signal,
  };
  return new Promise((resolve) => {
    const sent = isPlain ? http.request(url, options) : https.request(url, options);
    new Exchange(sent, resolve);
    if (bodyMs === 0) sent.end(body);
    else sendSlowly(sent, Buffer.from(body), bodyMs);
  });
}

/** Pieces of a body that is sent slowly. */
const pieces = 10;

/** Sends a body piece by piece, until the request has ended. */
function sendSlowly(request: ClientRequest, body: Buffer, bodyMs: number): void {
  const size = Math.ceil(body.length / pieces);
  let sent = 0;
  const timer = setInterval(() => {
    request.write(body.subarray(sent, sent + size));
    sent += size;
    if (sent < body.length) return;
    clearInterval(timer);
    request.end();
  }, bodyMs / pieces);
  request.once('close', () => clearInterval(timer));
}

/** Follows a request to its one end. */
class Exchange {
  readonly #request: ClientRequest;
  readonly #resolve: (end: End | 'stale') => void;
  /** Outcome if an error occurs in the current step. */
  #step: 'connection_failed' | 'tls_failed' | 'invalid_response' = 'connection_failed';
  #socket: Socket | undefined;
  #readBytes = 0;
  #response: IncomingMessage | undefined;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(request: ClientRequest, resolve: (end: End | 'stale') => void) {
    this.#request = request;
    this.#resolve = resolve;
    request.on('socket', (socket) => this.#watch(socket));
    request.on('response', (response) => this.#read(response));
    // A status 101 without a requested upgrade.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      this.#end({ outcome: 'invalid_response', status: response.statusCode ?? 0 });
    });
    request.on('error', (error) => this.#fail(error));
    request.on('close', () => this.#fail(undefined));
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', this.#count);
    if (this.#request.reusedSocket || !socket.connecting) {
      this.#step = 'invalid_response';
      return;
    }
    const isTls = 'encrypted' in socket;
    socket.once('connect', () => {
      this.#step = isTls ? 'tls_failed' : 'invalid_response';
    });
    socket.once('secureConnect', () => {
      this.#step = 'invalid_response';
    });
  }

  /** Ends the exchange when the response exceeds the number of bytes that are read. */
  readonly #count = (chunk: Buffer): void => {
    this.#readBytes += chunk.length;
    if (this.#readBytes <= maxReadBytes) return;
    if (this.#response === undefined) this.#end({ outcome: 'invalid_response', errorCode: 'EMSGSIZE' });
    else this.#end(this.#responseEnd(this.#response));
    this.#request.destroy();
  };

  #read(response: IncomingMessage): void {
    this.#response = response;
    response.on('data', (chunk: Buffer) => {
      if (this.#keptBytes < maxKeptBytes) this.#kept.push(chunk);
      this.#keptBytes += chunk.length;
    });
    response.on('end', () => this.#end(this.#responseEnd(response)));
    // An incomplete response emits an error instead of `end`.
    response.on('error', (error) => this.#fail(error));
  }

  #responseEnd(response: IncomingMessage): End {
    const { statusCode: status = 0, headers } = response;
    const mayWait = status === 429 || status === 503;
    return {
      outcome: outcomeOf(status),
      status,
      responseStart: this.#keptText(),
      retryAfterMs: mayWait ? parseRetryAfter(headers['retry-after'], Date.now()) : undefined,
    };
  }

  #keptText(): string {
    return textOf(Buffer.concat(this.#kept).subarray(0, maxKeptBytes));
  }

  #fail(error: Error | undefined): void {
    const errorCode = codeOf(error);
    const isReset = errorCode === 'ECONNRESET' || errorCode === 'EPIPE';
    if (this.#request.reusedSocket && this.#response === undefined && isReset) this.#end('stale');
    else if (error instanceof LookupError) this.#end({ outcome: error.failure, errorCode });
    else {
      const status = this.#response?.statusCode;
      this.#end({ outcome: this.#step, status, responseStart: this.#keptText(), errorCode });
    }
  }

  #end(end: End | 'stale'): void {
    this.#socket?.off('data', this.#count);
    this.#resolve(end);
  }
}

/** Code of an error. Its text is not used, because it may contain addresses. */
function codeOf(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ECONNRESET';
}
