import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { answerError, type GatewayError } from './answer-error.ts';
import { type EdgeAnswer, lastAnswerOn } from './last-answer.ts';

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

/** Answers what Node's parser refused, for which there is no request object, in the same shape as everything else. */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = faults[error.code ?? ''] ?? malformed;
  const refusal = error.code ?? 'parse_error';
  const last = lastAnswerOn(socket);
  if (last === undefined || last.writableFinished) answerOnSocket(socket, fault, refusal, logger);
  else if (last.req.complete) endAfter(last, socket);
  else refuseBody(last, { ...fault, reason: refusal });
}

/** What cannot be read stands behind a request that is being answered: the connection ends with that answer. */
function endAfter(last: EdgeAnswer, socket: Duplex): void {
  if (!last.shouldKeepAlive) return;
  last.shouldKeepAlive = false;
  if (last.headersSent) last.once('finish', () => socket.end());
}

/** What cannot be read is the body of a request that is being answered. */
function refuseBody(last: EdgeAnswer, error: GatewayError): void {
  if (last.req.exchange.refusal === undefined) {
    last.shouldKeepAlive = false;
    answerError(last.req, last, error);
  }
  last.end();
}

/** CONNECT has no meaning here (RFC 9110 section 9.3.6). Node lets go of its socket, so nobody else minds it. */
export function refuseConnect(socket: Duplex, logger: Logger): void {
  const destroy = () => socket.destroy();
  socket.on('error', destroy);
  const last = lastAnswerOn(socket);
  if (last !== undefined && !last.writableFinished) {
    destroy();
    return;
  }
  answerOnSocket(socket, { code: 405, text: 'method not allowed' }, 'method', logger);
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
    `X-Request-Id: ${requestId}`,
    ...(code === 405 ? ['Allow: GET, HEAD, POST, PATCH'] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  logger.info({ requestId, status: code, refusal }, 'request');
}
