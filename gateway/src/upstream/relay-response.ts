import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { EdgeResponse, Exchange } from '../http/exchange.ts';
import { malformedUpstreamResponse } from '../http/gateway-error.ts';
import {
  acceptedEncoding,
  compress,
  compressedHeaders,
  createCompressor,
  type Encoding,
  isCompressible,
} from './compression.ts';
import { clientResponseHeaders } from './response-headers.ts';
import { streamIdleMs, watchAccess } from './watch-access.ts';

/** Responses up to so many bytes are read whole and sent as one write, head and body together. */
const smallBody = 65_536;

export interface RelayTarget {
  readonly exchange: Exchange;
  readonly method: string;
  /** Accept-Encoding of the client. */
  readonly acceptEncoding: string | undefined;
  /** Whether this upstream may set cookies. */
  readonly keepsCredentials: boolean;
}

/** How a response goes to the client. */
interface Relay {
  readonly exchange: Exchange;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** How its body is to be compressed; undefined when it is passed on as it is. */
  readonly encoding: Encoding | undefined;
}

/** Sends the upstream's response to the client: small ones whole, all others as they arrive. */
export function relayResponse(upstream: IncomingMessage, target: RelayTarget): void {
  const { exchange, method } = target;
  if (!isWellFormed(upstream)) {
    exchange.refuse(malformedUpstreamResponse);
    return;
  }
  const relay = relayOf(upstream, target);
  if (method === 'HEAD' || hasNoBody(relay.status) || (lengthOf(upstream) ?? Number.NaN) <= smallBody) {
    relayWhole(upstream, relay);
  } else {
    relayFlow(upstream, relay);
  }
}

function relayOf(upstream: IncomingMessage, target: RelayTarget): Relay {
  const { exchange, acceptEncoding, keepsCredentials } = target;
  const { statusCode: status = 0, headers: received } = upstream;
  const compressible =
    compresses(exchange) && isCompressible({ status, headers: received, length: lengthOf(upstream) });
  const own = compressible
    ? { ...exchange.headers, ...varyByEncoding(exchange.headers.Vary) }
    : exchange.headers;
  const headers = clientResponseHeaders(upstream, own, keepsCredentials);
  const encoding = compressible ? acceptedEncoding(acceptEncoding) : undefined;
  return {
    exchange,
    status,
    headers: encoding === undefined ? headers : compressedHeaders(headers, encoding),
    encoding,
  };
}

/**
 * Only what the API says: pages carry secrets against forgery, and how well they compress together with what a stranger
 * put into them would tell (BREACH); the dashboard's files come compressed.
 */
function compresses({ route }: Exchange): boolean {
  return route?.kind === 'found' && route.routeKind === 'api';
}

function varyByEncoding(vary: string | undefined) {
  return { Vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding` };
}

function relayFlow(upstream: IncomingMessage, { exchange, status, headers, encoding }: Relay): void {
  const response = exchange.relay(status, headers);
  if (response === undefined) return;
  // The first bytes of a stream may be long in coming.
  if (headers['content-length'] === undefined) response.flushHeaders();
  const isEvents = upstream.headers['content-type']?.startsWith('text/event-stream');
  if (isEvents) upstream.socket.setTimeout(streamIdleMs);
  watchAccess(exchange, response);
  const flow = encoding === undefined ? upstream : upstream.pipe(compressorFor(response, encoding));
  flow.pipe(response, { end: false });
  flow.on(
    'end',
    exchange.guard(() => exchange.endRelay(response)),
  );
}

function compressorFor(response: EdgeResponse, encoding: Encoding) {
  const compressor = createCompressor(encoding);
  compressor.on('error', () => response.destroy());
  response.once('close', () => compressor.destroy());
  return compressor;
}

function relayWhole(upstream: IncomingMessage, { exchange, status, headers, encoding }: Relay): void {
  const chunks: Buffer[] = [];
  const send = exchange.guard((body: readonly Buffer[], head: OutgoingHttpHeaders) => {
    const response = exchange.relay(status, head);
    // As a string of bytes the body joins the head in one buffer; as a buffer it would be a second one to write.
    if (response !== undefined)
      exchange.endRelay(response, body.map((part) => part.toString('latin1')).join(''));
  });
  upstream.on('data', (chunk: Buffer) => chunks.push(chunk));
  upstream.on('end', () => {
    if (encoding === undefined || chunks.length === 0) return send(chunks, headers);
    compress(Buffer.concat(chunks), encoding).then(
      (body) => send([body], { ...headers, 'content-length': body.length }),
      (error: unknown) => exchange.fail(error),
    );
  });
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Whether the head is one that a client can be sent (RFC 9110 section 15, RFC 9112 section 6.3). */
function isWellFormed({ statusCode = 0, headers }: IncomingMessage): boolean {
  if (statusCode < 200 || statusCode > 599) return false;
  if (!hasNoBody(statusCode)) return true;
  const length = statusCode === 304 ? undefined : headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}
