import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { httpErrorBody } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Express } from 'express';
import { connectionProtocol, strictTransport } from './client-address.ts';
import type { ClientShares, TakePlace } from './client-shares.ts';
import { type GatewayError, help, methodsOfApi, type ParserCode } from './errors.ts';
import { EdgeRequest, EdgeResponse, keepAliveMs } from './exchange.ts';
import {
  type Connection,
  closeAfter,
  type Handle,
  inTurn,
  lastResponseOn,
  onceLastIsHandled,
} from './pipelining.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { UnreadResponses } from './unread.ts';
import { isHandshake, type Routes, takeOver } from './upgrade.ts';

const ending = Symbol('has the listener of its end');

/**
 * Destroys a connection that is half-closed with an unfinished response: Node would keep it until the client has read everything.
 * A WebSocket ends its connection itself.
 */
function watchEnd(connection: Connection & { [ending]?: true }): void {
  if (connection[ending]) return;
  connection[ending] = true;
  connection.once('end', () => {
    const last = lastResponseOn(connection);
    if (last?.writableEnded === false && last.statusCode !== 101) connection.destroy();
  });
}

interface ParseErrorResponse {
  readonly code: number;
  readonly text: string;
}

const parseErrorResponses: Readonly<Record<string, ParseErrorResponse>> = {
  HPE_HEADER_OVERFLOW: { code: 431, text: 'the request headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 413, text: 'the chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, text: 'the request did not arrive in time' },
};

/** Milliseconds that a client gets to close its side of a socket that Node has handed over. */
const closeDelayMs = 2_000;

const malformed: ParseErrorResponse = { code: 400, text: 'the request is malformed' };

const unknownMethod: ParseErrorResponse = { code: 405, text: 'method not allowed' };

/** A well-formed request line: then only its method can be invalid. */
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [\x21-\x7e]+ HTTP\/1\.1\r\n/;

/** Node adds the raw packet to errors of its parser. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Responds to what Node's parser rejected, with or without a request object, in the gateway's error format. */
function handleClientError(error: ParseError, socket: Duplex, options: EdgeServerOptions): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = responseFor(error);
  const { code = '' } = error;
  const refusal = isParserCode(code) ? code : 'parse_error';
  const last = lastResponseOn(socket);
  if (last === undefined || last.writableFinished) respondOnSocket(socket, response, refusal, options);
  // The unreadable bytes follow a request.
  else if (last.req.complete) closeAfter(last, socket);
  else onceLastIsHandled(socket, () => refuseBody(last, { ...response, reason: refusal, bodyIsLost: true }));
}

function isParserCode(code: string): code is ParserCode {
  return code.startsWith('HPE_') || code.startsWith('ERR_');
}

function responseFor({ code = '', rawPacket }: ParseError): ParseErrorResponse {
  if (code === 'HPE_INVALID_METHOD' && requestLine.test(rawPacket?.toString('latin1') ?? ''))
    return unknownMethod;
  return parseErrorResponses[code] ?? malformed;
}

/** The unreadable bytes are the body of a request in progress, and the rest is lost. */
function refuseBody(last: EdgeResponse, error: GatewayError): void {
  last.shouldKeepAlive = false;
  last.req.exchange.refuse(error);
  // An earlier refusal may still wait for the rest of the body.
  last.end();
}

/** Refuses CONNECT (RFC 9110 section 9.3.6). Node hands over the socket with no listeners or time-outs. */
function refuseConnect(socket: Duplex, options: EdgeServerOptions): void {
  const destroy = () => socket.destroy();
  socket.on('error', destroy);
  const last = lastResponseOn(socket);
  if (last !== undefined && !last.writableFinished) {
    destroy();
    return;
  }
  respondOnSocket(socket, unknownMethod, 'method', options);
  closeSoon(socket);
}

/** Closes a socket behind what was written: the client may neither close its side nor stop sending. */
function closeSoon(socket: Duplex): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), closeDelayMs);
  socket.on('close', () => clearTimeout(timer));
}

function respondOnSocket(
  socket: Duplex,
  { code, text }: ParseErrorResponse,
  refusal: GatewayError['reason'],
  { logger, metrics, docsUrl }: EdgeServerOptions,
): void {
  const requestId = randomUUID();
  const body = JSON.stringify(httpErrorBody(code, text));
  const head = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    ...Object.entries(strictTransport(connectionProtocol(socket))).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    `X-Request-Id: ${requestId}`,
    `Link: ${help(docsUrl, code)}`,
    ...(code === 405 ? [`Allow: ${methodsOfApi}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  metrics.count('none', code, refusal);
  logger.info({ requestId, status: code, refusal }, 'request');
}

/** An app whose steps respond to every request: where it gets no final handler, Express makes one for each. */
function handleWith(app: Express): Handle {
  const handle = app as unknown as (...args: [...Parameters<Handle>, final: () => void]) => void;
  const final = () => undefined;
  return (req, res) => handle(req, res, final);
}

/**
 * Express sets the prototypes of every request and response, which deoptimizes both in V8. With its prototypes from
 * the start, the assignment is a no-op. It also makes an object for each response that has no `locals`.
 */
function adoptPrototypes(app: Express): void {
  Object.assign(EdgeResponse.prototype, { locals: Object.freeze({}) });
  Object.setPrototypeOf(EdgeRequest.prototype, app.request);
  Object.setPrototypeOf(EdgeResponse.prototype, app.response);
  Object.assign(app, { request: EdgeRequest.prototype, response: EdgeResponse.prototype });
}

export type EdgeServer = Server<typeof EdgeRequest, typeof EdgeResponse>;

/** Milliseconds without a byte until a connection is closed: longer than promised, as a request may be on its way. */
const idleLimitMs = keepAliveMs + 1_000;

/** Options of a public server, with or without TLS. @param routes decide which requests open WebSockets */
export const edgeOptions = (routes: Routes) => ({
  IncomingMessage: EdgeRequest,
  ServerResponse: EdgeResponse,
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1_000,
  // Makes two timers per request. `idleLimitMs` closes connections without one as well.
  keepAliveTimeout: 0,
  maxHeaderSize: 16_384,
  noDelay: true,
  // The gateway rejects a missing Host itself, in its own format.
  requireHostHeader: false,
  // Any other Upgrade is ignored, and the request is an ordinary one (RFC 9110 section 7.8).
  shouldUpgradeCallback: (req: IncomingMessage) => isHandshake(req, routes),
});

interface EdgeServerOptions {
  readonly maxConnections: number;
  readonly logger: Logger;
  readonly metrics: Pick<RequestMetrics, 'count'>;
  /** Address of the page about errors. */
  readonly docsUrl: string;
  readonly shares: ClientShares;
  readonly unread: UnreadResponses;
  readonly routes: Routes;
  /** That of HTTPS; one without TLS where absent. */
  readonly server?: EdgeServer | undefined;
}

/** The public HTTP server: limits connections and slow or idle clients; parse errors get a JSON response. */
export function createEdgeServer(app: Express, options: EdgeServerOptions): EdgeServer {
  const { maxConnections, logger, shares, unread, routes } = options;
  const { server = createServer(edgeOptions(routes)) } = options;
  adoptPrototypes(app);
  limitClients(server, shares.places(maxConnections));
  server.setTimeout(idleLimitMs);
  const handleAny = handleWith(app);
  const handleInTurn = inTurn(handleAny);
  const handle: Handle = (req, res) => {
    // After an ignored Upgrade Node drops the rest of the packet, which may be the start of another request: reading on
    // would take the remaining bytes of that request for a new one.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    const { socket } = req;
    watchEnd(socket);
    unread.watch(socket);
    handleInTurn(req, res);
  };
  server.on('request', handle);
  // The request path decides about 100 Continue and unknown expectations.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => {
    destroyOnException(socket, logger, () => handleClientError(error, socket, options));
  });
  server.on('upgrade', (req, socket, head) => {
    destroyOnException(socket, logger, () => handle(req, takeOver(req, head)));
  });
  server.on('connect', (_req, socket) => {
    destroyOnException(socket, logger, () => refuseConnect(socket, options));
  });
  return server;
}

/** Closes new connections of a client that has reached its limit, before the server allocates anything for them. */
function limitClients(server: EdgeServer, takePlace: TakePlace): void {
  const accept = server.listeners('connection');
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const leave = takePlace(socket.remoteAddress);
    if (leave === undefined) {
      socket.destroy();
      return;
    }
    socket.once('close', leave);
    for (const listener of accept) Reflect.apply(listener, server, [socket]);
  });
}

/** Exports the number of open client connections and their limit. */
export function measureConnections(registry: Registry, server: EdgeServer, maxConnections: number): void {
  new Gauge({
    name: 'gateway_connections',
    help: 'Open connections of clients',
    registers: [registry],
    async collect() {
      this.set(await promisify(server.getConnections.bind(server))());
    },
  });
  new Gauge({
    name: 'gateway_connections_limit',
    help: 'Open connections of clients at most',
    registers: [registry],
  }).set(maxConnections);
}

/** Outside an exchange: an exception destroys only this connection. */
function destroyOnException(socket: Duplex, logger: Logger, run: () => void): void {
  try {
    run();
  } catch (error) {
    logger.error({ err: error }, 'unexpected error');
    socket.destroy();
  }
}
