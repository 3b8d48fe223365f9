import { type IncomingHttpHeaders, type IncomingMessage, METHODS, request } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type Duplex, duplexPair, pipeline } from 'node:stream';
import { hopByHop } from '../forwarding/request-headers.ts';
import { bodyMethods } from './ambiguity.ts';

/*
 * A stream of HTTP/2 becomes one HTTP/1.1 request on a connection in memory, which the edge server serves as any other.
 * So limits, checks and errors are written once, and hold for both protocols.
 */
const knownMethods: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** Bytes of a response head: what an upstream may send, and the gateway's own headers. */
const maxResponseHead = 65_536;

/** Head of a request as HTTP/1.1 has it, names and values of headers in turn. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
}

/** What the connection of a stream is, to the edge server. */
export interface Http2Peer {
  readonly remoteAddress: string | undefined;
  /** Serves HTTP/1.1 on a connection. */
  readonly serve: (connection: Duplex) => void;
}

/**
 * The head of a request over HTTP/2, names and values in turn (RFC 9113 sections 8.2 and 8.3). nghttp2 has refused what
 * is malformed: connection headers, upper case, pseudo-headers that lack, double or come late. What contradicts itself is
 * left in, for the edge to refuse as in HTTP/1.1.
 *
 * @param hasBody whether the stream goes on after the head
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
  // Methods are case-sensitive, which http.request ignores, and CONNECT would make it a tunnel: all these are refused.
  return { method: knownMethods.has(method) ? method : 'UNKNOWN', path: pseudo.get(':path') ?? '', headers };
}

function* fieldsOf(received: readonly string[]): Iterable<readonly [string, string]> {
  for (let i = 0; i < received.length; i += 2) yield [received[i] ?? '', received[i + 1] ?? ''];
}

/** HTTP/2 knows where a body ends without being told. */
function framing(method: string, hasBody: boolean): readonly string[] {
  if (hasBody) return ['transfer-encoding', 'chunked'];
  return bodyMethods.has(method) ? ['content-length', '0'] : [];
}

/** Serves the request of a stream, and ends its exchange with it. */
export function bridgeStream(
  stream: ServerHttp2Stream,
  head: RequestHead,
  hasBody: boolean,
  peer: Http2Peer,
): void {
  const [clientSide, edgeSide] = duplexPair();
  peer.serve(asConnection(edgeSide, stream, peer.remoteAddress));
  const innerRequest = request({
    ...head,
    createConnection: () => clientSide,
    maxHeaderSize: maxResponseHead,
  });
  const cut = () => {
    edgeSide.destroy();
    innerRequest.destroy();
  };
  // Before `end`: a body that was broken off must not look complete.
  stream.once('aborted', cut).once('close', cut);
  let hasResponded = false;
  innerRequest.on('error', () => {
    if (!hasResponded) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  innerRequest.on('information', ({ statusCode }) => {
    if (!stream.closed && !stream.headersSent) stream.additionalHeaders({ ':status': statusCode });
  });
  innerRequest.once('response', (response) => {
    hasResponded = true;
    respond(stream, response, hasBody);
  });
  if (!hasBody) {
    innerRequest.end();
    return;
  }
  // The head would wait for the first bytes of the body, which may wait for the response.
  innerRequest.flushHeaders();
  stream.pipe(innerRequest);
}

/** Gives an end of a pair what the edge server reads of sockets. A silent stream times out as a silent socket does. */
function asConnection(side: Duplex, stream: ServerHttp2Stream, remoteAddress: string | undefined): Duplex {
  return Object.assign(side, {
    remoteAddress,
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
  // The client need not send the rest of a body that is not read (RFC 9113 section 8.1).
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
