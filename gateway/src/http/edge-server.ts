import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Express } from 'express';
import { EdgeRequest } from './exchange.ts';
import { type EdgeAnswer, isToBeRead } from './last-answer.ts';
import { answerUnparsed, refuseConnect } from './unparsed-request.ts';

class EdgeResponse extends ServerResponse<EdgeRequest> {}

/**
 * Express gives every request and response its own prototypes, which makes both slow in V8. When they have them from
 * the start, that assignment changes nothing.
 */
function adoptPrototypes(app: Express): void {
  Object.setPrototypeOf(EdgeRequest.prototype, app.request);
  Object.setPrototypeOf(EdgeResponse.prototype, app.response);
  Object.assign(app, { request: EdgeRequest.prototype, response: EdgeResponse.prototype });
}

/** The public HTTP server: slow, idle and too many connections are cut; what cannot be parsed is answered in JSON. */
export function createEdgeServer(app: Express, maxConnections: number, logger: Logger): Server {
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
  server.on('request', (req: EdgeRequest, res: EdgeAnswer) => {
    if (isToBeRead(req, res)) app(req, res);
  });
  server.on('checkContinue', (req: EdgeRequest, res: ServerResponse) => {
    req.exchange.expectsContinue = true;
    server.emit('request', req, res);
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
    server.emit('request', req, res),
  );
  server.on('clientError', (error, socket) => answerUnparsed(error, socket, logger));
  server.on('connect', (_req, socket) => refuseConnect(socket, logger));
  return server;
}
