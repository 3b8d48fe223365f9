import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Express } from 'express';
import { matchRoute } from '../routes/route-table.ts';
import { isToBeRead, newestResponseOn } from './connection-state.ts';
import { EdgeRequest, EdgeResponse } from './exchange.ts';
import { answerUnparsed, refuseConnect } from './unparsed-request.ts';

/**
 * Express gives every request and response its own prototypes, which makes both slow in V8. When they have them from
 * the start, that assignment changes nothing.
 */
function adoptPrototypes(app: Express): void {
  Object.setPrototypeOf(EdgeRequest.prototype, app.request);
  Object.setPrototypeOf(EdgeResponse.prototype, app.response);
  Object.assign(app, { request: EdgeRequest.prototype, response: EdgeResponse.prototype });
}

export type EdgeServer = Server<typeof EdgeRequest, typeof EdgeResponse>;

/** How a public server reads requests, with TLS or without. */
export const edgeOptions = {
  IncomingMessage: EdgeRequest,
  ServerResponse: EdgeResponse,
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 16_384,
  noDelay: true,
  // The gateway answers a missing Host itself, in its own shape.
  requireHostHeader: false,
  // Every other Upgrade is passed over, and the request is an ordinary one (RFC 9110 section 7.8).
  shouldUpgradeCallback: isWebSocketHandshake,
};

/** The public HTTP server: slow, idle and too many connections are cut; what cannot be parsed is answered in JSON. */
export function createEdgeServer(
  app: Express,
  maxConnections: number,
  logger: Logger,
  server: EdgeServer = createServer(edgeOptions),
): EdgeServer {
  adoptPrototypes(app);
  server.maxConnections = maxConnections;
  server.setTimeout(60_000);
  const handle = (req: EdgeRequest, res: EdgeResponse) => {
    if (isToBeRead(req, res)) app(req, res);
  };
  server.on('request', handle);
  // The steps of the request path say when the client may go on, and which expectations are met.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('upgrade', (req: EdgeRequest, socket: Duplex, head: Buffer) => {
    endOnException(socket, logger, () => handleUpgrade(app, req, head));
  });
  server.on('clientError', (error, socket) => {
    endOnException(socket, logger, () => answerUnparsed(error, socket, logger));
  });
  server.on('connect', (_req, socket) => {
    endOnException(socket, logger, () => refuseConnect(socket, logger));
  });
  return server;
}

function isWebSocketHandshake({ method = '', url = '', headers }: IncomingMessage): boolean {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || headers['sec-websocket-key'] === undefined)
    return false;
  const [path = ''] = url.split('?');
  const route = matchRoute(method, path);
  return method === 'GET' && route.kind === 'found' && route.routeKind === 'api';
}

/** Node lets go of the connection, so the response is given it by hand. It is the last one there. */
function handleUpgrade(app: Express, req: EdgeRequest, head: Buffer): void {
  const { socket } = req;
  socket.on('error', () => socket.destroy());
  const earlier = newestResponseOn(socket);
  if (earlier !== undefined && !earlier.writableFinished) {
    socket.destroy();
    return;
  }
  const res = new EdgeResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => socket.end());
  req.exchange.upgradeHead = head;
  app(req, res);
}

/** Here is no exchange to fail: an exception costs the connection, and no other. */
function endOnException(socket: Duplex, logger: Logger, run: () => void): void {
  try {
    run();
  } catch (error) {
    logger.error({ err: error }, 'unexpected error');
    socket.destroy();
  }
}
