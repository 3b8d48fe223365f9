import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';

interface Fault {
  readonly code: number;
  readonly text: string;
}

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: { code: 431, text: 'the request headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 413, text: 'the chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, text: 'the request did not arrive in time' },
};
const malformed: Fault = { code: 400, text: 'the request is malformed' };

/** Answers what Node's parser refused, for which there is no request object, in the same shape as everything else. */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(socket, faults[error.code ?? ''] ?? malformed, error.code ?? 'parse_error', logger);
}

/** CONNECT has no meaning here (RFC 9110 section 9.3.6). */
export function refuseConnect(socket: Duplex, logger: Logger): void {
  answerOnSocket(socket, { code: 405, text: 'method not allowed' }, 'method', logger);
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
