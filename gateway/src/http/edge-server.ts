import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Express } from 'express';
import { isToBeRead } from './connection-state.ts';
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

/** The public HTTP server: slow, idle and too many connections are cut; what cannot be parsed is answered in JSON. */
export function createEdgeServer(app: Express, maxConnections: number, logger: Logger): EdgeServer {
  adoptPrototypes(app);
  const server = createServer<typeof EdgeRequest, typeof EdgeResponse>({
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
  });
  server.maxConnections = maxConnections;
  server.setTimeout(60_000);
  const handle = (req: EdgeRequest, res: EdgeResponse) => {
    if (isToBeRead(req, res)) app(req, res);
  };
  server.on('request', handle);
  // The steps of the request path say when the client may go on, and which expectations are met.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => {
    endOnException(socket, logger, () => answerUnparsed(error, socket, logger));
  });
  server.on('connect', (_req, socket) => {
    endOnException(socket, logger, () => refuseConnect(socket, logger));
  });
  return server;
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
