import { type IncomingHttpHeaders, type IncomingMessage, METHODS, request } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type Duplex, duplexPair, pipeline } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { bodyMethods } from './ambiguity.ts';
import { hopByHop } from './hop-by-hop.ts';
import type { BridgedStream } from './unread.ts';

/*
 * Turns an HTTP/2 stream into one HTTP/1.1 request on an in-memory connection to the edge server, so that limits,
 * checks and errors are the same for both protocols.
 */
const knownMethods: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** Maximum bytes of a response head: the upstream's headers and the gateway's. */
const maxResponseHead = 65_536;

/** Request head as for HTTP/1.1; header names and values alternate. */
interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
}

/** Memory of a stream apart from its response: two requests and two parsers. */
const streamBytes = 32_768;

/** Peer of the in-memory connection. */
interface Http2Peer {
  readonly carrier: TLSSocket;
  /** Serves HTTP/1.1 on a connection. */
  readonly serve: (connection: Duplex) => void;
}

/**
 * Converts the head of an HTTP/2 request, names and values alternating (RFC 9113 sections 8.2 and 8.3). nghttp2 has
 * rejected malformed heads: connection headers, upper case, missing, duplicated or late pseudo-headers.
 * Contradictions stay, so that the edge rejects them as in HTTP/1.1.
 *
 * @param hasBody whether the stream continues after the head
 */
export function requestHead(received: readonly string[], hasBody: boolean): RequestHead {
  const pseudo = new Map<string, string>();
  const headers: string[] = [];
  const cookies: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of fieldsOf(received)) {
    names.add(name);
    if (name.startsWith(':')) pseudo.set(name, value);
    else if (name === 'cookie') cookies.push(value);
    else if (name !== 'host' || value !== pseudo.get(':authority')) headers.push(name, value);
  }
  const method = pseudo.get(':method') ?? '';
  const authority = pseudo.get(':authority');
  if (authority !== undefined) headers.push('host', authority);
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '));
  if (!names.has('content-length')) headers.push(...framing(method, hasBody));
  // http.request upper-cases methods and treats CONNECT as a tunnel: send a method that is rejected instead.
  return { method: knownMethods.has(method) ? method : 'UNKNOWN', path: pseudo.get(':path') ?? '', headers };
}

function* fieldsOf(received: readonly string[]): Iterable<readonly [string, string]> {
  for (let i = 0; i < received.length; i += 2) yield [received[i] ?? '', received[i + 1] ?? ''];
}

/** HTTP/2 frames bodies itself; HTTP/1.1 needs a header. */
function framing(method: string, hasBody: boolean): readonly string[] {
  if (hasBody) return ['transfer-encoding', 'chunked'];
  return bodyMethods.has(method) ? ['content-length', '0'] : [];
}

/** Serves the request of a stream; destroying either destroys the other. */
export function bridgeStream(
  stream: ServerHttp2Stream,
  head: RequestHead,
  hasBody: boolean,
  peer: Http2Peer,
): void {
  const [clientSide, edgeSide] = duplexPair();
  let received: IncomingMessage | undefined;
  const unreadBytes = () => {
    const buffers = [edgeSide.writableLength, clientSide.readableLength, received?.readableLength ?? 0];
    const bytes = buffers.reduce((sum, length) => sum + length, stream.writableLength);
    return stream.destroyed || bytes === 0 ? 0 : bytes + streamBytes;
  };
  peer.serve(asConnection(edgeSide, stream, { carrier: peer.carrier, unreadBytes }));
  const innerRequest = request({
    ...head,
    createConnection: () => clientSide,
    maxHeaderSize: maxResponseHead,
  });
  const cut = () => {
    edgeSide.destroy();
    innerRequest.destroy();
  };
  // Before `end`: an aborted body must not look complete.
  stream.once('aborted', cut).once('close', cut);
  innerRequest.on('error', () => {
    if (received === undefined) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  innerRequest.on('information', ({ statusCode }) => {
    if (!stream.closed && !stream.headersSent) stream.additionalHeaders({ ':status': statusCode });
  });
  innerRequest.once('response', (response) => {
    received = response;
    respond(stream, response, hasBody);
  });
  if (!hasBody) {
    innerRequest.end();
    return;
  }
  // Send the head without waiting for the body, which may wait for the response.
  innerRequest.flushHeaders();
  stream.pipe(innerRequest);
}

/**
 * Gives one end of a duplex pair the socket properties that the edge server reads. Idle time-outs are those of the
 * stream.
 */
function asConnection(side: Duplex, stream: ServerHttp2Stream, bridged: BridgedStream): Duplex {
  return Object.assign(side, {
    ...bridged,
    remoteAddress: bridged.carrier.remoteAddress,
    encrypted: true,
    setTimeout: (ms: number) => stream.setTimeout(ms, () => side.emit('timeout')),
  });
}

function respond(stream: ServerHttp2Stream, response: IncomingMessage, hasBody: boolean): void {
  if (stream.closed) return;
  try {
    stream.respond({ ...endToEnd(response.headers), ':status': response.statusCode });
  } catch {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  // The client need not send the rest of an unread body (RFC 9113 section 8.1).
  const stopUpload = () => {
    if (hasBody && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  };
  if (stream.writableEnded) {
    response.once('end', stopUpload).resume();
    return;
  }
  pipeline(response, stream, (error) => {
    if (error == null) stopUpload();
  });
}

function endToEnd(received: IncomingHttpHeaders): IncomingHttpHeaders {
  const sent: IncomingHttpHeaders = {};
  for (const name in received) {
    if (!hopByHop.has(name)) sent[name] = received[name];
  }
  return sent;
}
