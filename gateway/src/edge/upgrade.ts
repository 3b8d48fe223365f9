import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RouteTable } from '../routes.ts';
import { badRequest } from './errors.ts';
import { type EdgeRequest, EdgeResponse } from './exchange.ts';
import { currentResponseOn } from './pipelining.ts';
import { parseAbsoluteForm } from './request-target.ts';

/*
 * The handshake of a WebSocket takes the steps of every request, on a connection that Node has handed over. Whatever its
 * response is, the connection carries no further request.
 */

export type Routes = Pick<RouteTable, 'match'>;

/**
 * Whether a request with `Upgrade` opens a WebSocket: a GET without a body, of a route that has them, behind responses that
 * have been sent completely. Any other is an ordinary request.
 */
export function isHandshake(
  { method = '', url = '', headers, socket }: IncomingMessage,
  routes: Routes,
): boolean {
  const [path = ''] = (parseAbsoluteForm(url)?.url ?? url).split('?', 1);
  const route = routes.match(method, path);
  if (route.kind !== 'found' || !route.websocket || method !== 'GET') return false;
  const protocols = headers.upgrade?.toLowerCase().split(',') ?? [];
  const isFree = currentResponseOn(socket) === undefined;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return protocols.some((name) => name.trim() === 'websocket') && !hasBody && isFree;
}

const early = badRequest('framing', 'data was sent before the response to the handshake');

/**
 * Creates the response to a handshake. Node has left its connection without listeners and time limits.
 * @param head bytes that followed the request
 */
export function takeOver(req: EdgeRequest, head: Buffer): EdgeResponse {
  const { exchange, socket } = req;
  const response = new EdgeResponse(req);
  response.assignSocket(socket);
  socket.on('error', () => undefined);
  socket.on('timeout', () => socket.destroy());
  socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => {
    if (response.statusCode !== 101) socket.destroySoon();
  });
  // Reads, so that the client's leaving is seen. A WebSocket client sends nothing before the response (RFC 6455 section 4.1).
  const refuseEarly = () => {
    if (exchange.isOpen) exchange.refuse(early);
  };
  socket.on('data', exchange.guard(refuseEarly));
  if (head.length > 0) socket.unshift(head);
  return response;
}

/** Hands the connection of a handshake on, paused, for what follows the response. */
export function handOver({ socket }: { readonly socket: Socket }): Socket {
  return socket.removeAllListeners('data').pause();
}
