import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../http/exchange.ts';
import { malformedUpstreamResponse } from '../http/gateway-error.ts';
import { clientResponseHeaders } from './response-headers.ts';
import { streamIdleMs, watchAccess } from './watch-access.ts';

/** Responses up to so many bytes are read whole and sent as one write, head and body together. */
const smallBody = 65_536;

export interface RelayTarget {
  readonly exchange: Exchange;
  readonly method: string;
  /** Whether this upstream may set cookies. */
  readonly keepsCredentials: boolean;
}

/** Sends the upstream's response to the client: small ones whole, all others as they arrive. */
export function relayResponse(upstream: IncomingMessage, target: RelayTarget): void {
  const { exchange, method, keepsCredentials } = target;
  if (!isWellFormed(upstream)) {
    exchange.refuse(malformedUpstreamResponse);
    return;
  }
  const status = upstream.statusCode ?? 0;
  const headers = clientResponseHeaders(upstream, exchange.headers, keepsCredentials);
  const length = Number(upstream.headers['content-length'] ?? Number.NaN);
  if (method !== 'HEAD' && !hasNoBody(status) && !(length <= smallBody)) {
    const response = exchange.relay(status, headers);
    if (response === undefined) return;
    // The first bytes of a stream may be long in coming.
    if (Number.isNaN(length)) response.flushHeaders();
    if (upstream.headers['content-type']?.startsWith('text/event-stream'))
      upstream.socket.setTimeout(streamIdleMs);
    upstream.pipe(response, { end: false });
    watchAccess(exchange, response);
    upstream.on(
      'end',
      exchange.guard(() => exchange.endRelay(response)),
    );
    return;
  }
  const chunks: Buffer[] = [];
  upstream.on('data', (chunk: Buffer) => chunks.push(chunk));
  upstream.on(
    'end',
    exchange.guard(() => {
      const response = exchange.relay(status, headers);
      if (response === undefined) return;
      // As a string of bytes the body joins the head in one buffer; as a buffer it would be a second one to write.
      exchange.endRelay(response, chunks.map((chunk) => chunk.toString('latin1')).join(''));
    }),
  );
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
