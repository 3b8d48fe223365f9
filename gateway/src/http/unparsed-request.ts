import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { newestResponseOn } from './connection-state.ts';
import { strictTransport } from './encryption.ts';
import type { EdgeResponse } from './exchange.ts';
import { type GatewayError, methodsOfApi } from './gateway-error.ts';

interface Fault {
  readonly code: number;
  readonly text: string;
}

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { code: 431, text: 'the request headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 413, text: 'the chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, text: 'the request did not arrive in time' },
};
/** Milliseconds after which the socket of a refused CONNECT is closed, whatever its client does. */
const connectLingerMs = 2_000;
const malformed: Fault = { code: 400, text: 'the request is malformed' };
const unknownMethod: Fault = { code: 405, text: 'method not allowed' };

/** A request line in good order: what is wrong with it can only be the method. */
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [\x21-\x7e]+ HTTP\/1\.1\r\n/;

/** What Node adds to the errors of its parser. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Answers what Node's parser refused, for which there may be no request object, in the same shape as everything else. */
export function answerUnparsed(error: ParseError, socket: Duplex, logger: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = faultOf(error);
  const refusal = error.code ?? 'parse_error';
  const newest = newestResponseOn(socket);
  if (newest === undefined || newest.writableFinished) answerOnSocket(socket, fault, refusal, logger);
  else if (newest.req.complete) endAfter(newest, socket);
  else refuseBody(newest, { ...fault, reason: refusal, bodyIsLost: true });
}

function faultOf({ code = '', rawPacket }: ParseError): Fault {
  if (code === 'HPE_INVALID_METHOD' && requestLine.test(rawPacket?.toString('latin1') ?? ''))
    return unknownMethod;
  return faults[code] ?? malformed;
}

/** What cannot be read stands behind a request that is being answered: the connection ends with that answer. */
function endAfter(newest: EdgeResponse, socket: Duplex): void {
  if (!newest.shouldKeepAlive) return;
  newest.shouldKeepAlive = false;
  if (newest.headersSent) newest.once('finish', () => socket.end());
}

/** What cannot be read is the body of a request that is being answered. No more of it will come. */
function refuseBody(newest: EdgeResponse, error: GatewayError): void {
  newest.shouldKeepAlive = false;
  newest.req.exchange.refuse(error);
  // An earlier refusal may still be waiting for the rest of the body.
  newest.end();
}

/** CONNECT has no meaning here (RFC 9110 section 9.3.6). Node lets go of its socket, so nobody else minds it. */
export function refuseConnect(socket: Duplex, logger: Logger): void {
  const destroy = () => socket.destroy();
  socket.on('error', destroy);
  const newest = newestResponseOn(socket);
  if (newest !== undefined && !newest.writableFinished) {
    destroy();
    return;
  }
  answerOnSocket(socket, unknownMethod, 'method', logger);
  socket.resume();
  const timer = setTimeout(destroy, connectLingerMs);
  socket.on('close', () => clearTimeout(timer));
}

function answerOnSocket(socket: Duplex, { code, text }: Fault, refusal: string, logger: Logger): void {
  const requestId = randomUUID();
  const body = JSON.stringify(httpErrorBody(code, text));
  const head = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    ...Object.entries(strictTransport(socket)).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${requestId}`,
    ...(code === 405 ? [`Allow: ${methodsOfApi}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  logger.info({ requestId, status: code, refusal }, 'request');
}
