import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { invalidInputHeader } from '@platform/protos/vocabulary';
import { accessEnded, malformedUpstreamResponse } from '../edge/errors.ts';
import type { EdgeResponse, Exchange } from '../edge/exchange.ts';
import {
  acceptedEncoding,
  compress,
  compressedHeaders,
  createCompressor,
  type Encoding,
  isCompressible,
} from './compression.ts';

/** Allowed response headers of an upstream; all others are dropped, including those named by `Connection`. */
const relayed: ReadonlySet<string> = new Set([
  'accept-patch',
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'deprecation',
  'etag',
  'expires',
  'idempotency-replayed',
  'last-modified',
  'link',
  'location',
  'permissions-policy',
  'pragma',
  'preference-applied',
  'referrer-policy',
  'retry-after',
  'strict-transport-security',
  'sunset',
  'vary',
  'www-authenticate',
  'x-csrf-token',
  'x-frame-options',
  'x-jws-signature',
]);

/** The final response of an upstream, its body yet to come. */
export interface UpstreamResponse {
  readonly statusCode: number;
  /** Names in lower case, repeated ones joined. */
  readonly headers: IncomingHttpHeaders;
  /** Calls back with the whole body; not at all for an incomplete one. */
  collect(done: (chunks: readonly Buffer[]) => void): void;
  /** The body as it arrives; does not end for an incomplete one. */
  stream(): Readable;
  /** Sets the milliseconds without a byte after which the response fails. */
  allowSilence(ms: number): void;
}

/** A response received by node:http. */
export function responseOf(received: IncomingMessage): UpstreamResponse {
  return {
    statusCode: received.statusCode ?? 0,
    headers: received.headers,
    collect: (done) => {
      const chunks: Buffer[] = [];
      received.on('data', (chunk: Buffer) => chunks.push(chunk));
      received.on('end', () => done(chunks));
    },
    stream: () => received,
    allowSilence: (ms) => received.socket.setTimeout(ms),
  };
}

/** Headers of the response: those of the upstream that may pass, and the gateway's. */
export function clientResponseHeaders(
  upstream: Pick<UpstreamResponse, 'headers'>,
  own: Readonly<Record<string, string>>,
  maySetCookies: boolean,
): OutgoingHttpHeaders {
  const received = upstream.headers;
  const sent: OutgoingHttpHeaders = {};
  for (const name in received) {
    if (relayed.has(name) || (maySetCookies && name === 'set-cookie')) sent[name] = received[name];
  }
  Object.assign(sent, own);
  if (received.vary === undefined || own.Vary === undefined) return sent;
  const { vary: _theirs, ...rest } = sent;
  return { ...rest, Vary: joinVary(received.vary, own.Vary) };
}

/** Union of two Vary headers (RFC 9110 section 12.5.5). */
function joinVary(upstreamVary: string, ownVary: string): string {
  const names = `${upstreamVary},${ownVary}`.split(',').map((name) => name.trim());
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ');
}

/** Milliseconds between rechecks of a response in progress. */
const recheckMs = 500;

/** Milliseconds of silence after which a stream ends; events and pings are more frequent. */
const streamIdleMs = 60_000;

/**
 * Ends a request in progress when its credential is no longer valid: revoked, expired, frozen, or not on the IP
 * whitelist. A response that has begun is cut; before, the client gets the refusal.
 */
export function watchAccess(exchange: Exchange): void {
  const { recheck } = exchange;
  if (recheck === undefined) return;
  // Once per exchange.
  exchange.recheck = undefined;
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    const refusal = await recheck();
    isChecking = false;
    if (refusal !== undefined) exchange.refuse(exchange.isOpen ? refusal : accessEnded);
  };
  const timer = setInterval(() => check().catch((error: unknown) => exchange.fail(error)), recheckMs);
  exchange.atEnd(() => clearInterval(timer));
}

/** Responses up to this size are buffered and sent as one write, head and body together. */
const bufferedBytes = 65_536;

export interface RelayTarget {
  readonly exchange: Exchange;
  readonly method: string;
  /** Accept-Encoding of the client. */
  readonly acceptEncoding: string | undefined;
  /** Whether this upstream may set cookies. */
  readonly forwardsCredentials: boolean;
}

interface Relay {
  readonly exchange: Exchange;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Content coding to apply; undefined to relay the body unchanged. */
  readonly encoding: Encoding | undefined;
}

/** Relays the upstream's response: small ones buffered, others streamed. */
export function relayResponse(upstream: UpstreamResponse, target: RelayTarget): void {
  const { exchange, method } = target;
  exchange.upstreamStatus = upstream.statusCode;
  exchange.upstreamAt = performance.now();
  if (!isWellFormed(upstream)) {
    exchange.refuse(malformedUpstreamResponse);
    return;
  }
  if (upstream.statusCode >= 400) {
    exchange.invalidInput = upstream.headers[invalidInputHeader]?.toString();
  }
  const relay = relayOf(upstream, target);
  if (method === 'HEAD' || hasNoBody(relay.status) || (lengthOf(upstream) ?? Number.NaN) <= bufferedBytes) {
    relayBuffered(upstream, relay);
  } else {
    relayStream(upstream, relay);
  }
}

function relayOf(upstream: UpstreamResponse, target: RelayTarget): Relay {
  const { exchange, acceptEncoding, forwardsCredentials } = target;
  const { statusCode: status, headers: received } = upstream;
  const compressible =
    isApi(exchange) && isCompressible({ status, headers: received, length: lengthOf(upstream) });
  const ours = status >= 400 && isApi(exchange) ? explained(upstream, exchange) : exchange.headers;
  const own = compressible ? { ...ours, ...varyByEncoding(ours.Vary) } : ours;
  const headers = clientResponseHeaders(upstream, own, forwardsCredentials);
  const encoding = compressible ? acceptedEncoding(acceptEncoding) : undefined;
  return {
    exchange,
    status,
    headers: encoding === undefined ? headers : compressedHeaders(headers, encoding),
    encoding,
  };
}

/**
 * Only responses of the API are compressed: pages contain CSRF tokens beside reflected input, whose compressed size would
 * reveal them (BREACH). Files of the dashboard are compressed already.
 */
function isApi({ route }: Exchange): boolean {
  return route?.kind === 'found' && route.routeKind === 'api';
}

function explained({ statusCode, headers }: UpstreamResponse, exchange: Exchange) {
  if (headers.link?.includes('rel="help"')) return exchange.headers;
  const lacksScope = headers['www-authenticate']?.includes('insufficient_scope');
  return exchange.errorHeaders(statusCode, lacksScope ? 'insufficient_scope' : undefined);
}

function varyByEncoding(vary: string | undefined) {
  return { Vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding` };
}

function relayStream(upstream: UpstreamResponse, { exchange, status, headers, encoding }: Relay): void {
  const response = exchange.relay(status, headers);
  if (response === undefined) return;
  // The first bytes of a stream may take long.
  if (headers['content-length'] === undefined) response.flushHeaders();
  const isEvents = upstream.headers['content-type']?.startsWith('text/event-stream');
  if (isEvents) upstream.allowSilence(streamIdleMs);
  watchAccess(exchange);
  const body = upstream.stream();
  const flow = encoding === undefined ? body : body.pipe(compressorFor(exchange, response, encoding));
  flow.on('data', (chunk: Buffer) => {
    exchange.responseBytes += chunk.length;
  });
  flow.pipe(response, { end: false });
  flow.on(
    'end',
    exchange.guard(() => exchange.endRelay(response)),
  );
}

function compressorFor(exchange: Exchange, response: EdgeResponse, encoding: Encoding) {
  const compressor = createCompressor(encoding);
  compressor.on('error', () => response.destroy());
  exchange.atEnd(() => compressor.destroy());
  return compressor;
}

function relayBuffered(upstream: UpstreamResponse, { exchange, status, headers, encoding }: Relay): void {
  const send = exchange.guard((body: readonly Buffer[], head: OutgoingHttpHeaders) => {
    const response = exchange.relay(status, head);
    if (response === undefined) return;
    // As a latin1 string the body shares a buffer with the head; a Buffer would be a second write.
    const text = body.map((part) => part.toString('latin1')).join('');
    exchange.responseBytes = text.length;
    exchange.endRelay(response, text);
  });
  upstream.collect((chunks) => {
    if (status >= 400 && isApi(exchange)) exchange.errorBody = Buffer.concat(chunks).toString();
    if (encoding === undefined || chunks.length === 0) return send(chunks, headers);
    compress(Buffer.concat(chunks), encoding).then(
      (body) => send([body], { ...headers, 'content-length': body.length }),
      (error: unknown) => exchange.fail(error),
    );
  });
}

function lengthOf({ headers }: UpstreamResponse): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Whether the head can be relayed (RFC 9110 section 15, RFC 9112 section 6.3). */
function isWellFormed({ statusCode, headers }: UpstreamResponse): boolean {
  if (statusCode < 200 || statusCode > 599) return false;
  if (!hasNoBody(statusCode)) return true;
  const length = statusCode === 304 ? undefined : headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}
