import { createHash } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { isFromForeignPage } from '../edge/cors.ts';
import {
  gatewayStopping,
  malformedUpstreamResponse,
  originNotAllowed,
  upstreamFailed,
  upstreamSaturated,
} from '../edge/errors.ts';
import type { Exchange } from '../edge/exchange.ts';
import { handOver } from '../edge/upgrade.ts';
import { UpstreamTimeout } from './connect.ts';
import { type Release, slotKeys } from './fair-queue.ts';
import { createAddressing, onStopping, type UpstreamOptions, type Upstreams } from './proxy.ts';
import { relayResponse, responseOf, watchAccess } from './response.ts';
import { upstreamErrorOf } from './upstream-error.ts';
import { joinSockets } from './websocket-tunnel.ts';

/**
 * Forwards the handshake of a WebSocket once it has a slot at its upstream. Behind the upstream's 101 bytes flow both ways, until
 * either side, the credential, silence or the gateway ends them. Any other response of the upstream is relayed as usual.
 * @param stopping aborts shortly before the gateway cuts what is in flight
 */
export function forwardWebSocket(upstreams: Upstreams, stopping: AbortSignal): RequestHandler {
  return (req, _res, next) => {
    if (!req.upgrade) return next();
    const { exchange } = req;
    const { route } = exchange;
    const upstream = route?.kind === 'found' ? upstreams.get(route.upstream) : undefined;
    if (route?.kind !== 'found' || upstream === undefined) return next();
    if (isFromForeignPage(req)) return exchange.refuse(originNotAllowed);
    const proceed = (release: Release | undefined) => {
      if (release === undefined) return exchange.refuse(upstreamSaturated);
      if (!exchange.isOpen) return release();
      exchange.slot = release;
      watchAccess(exchange);
      onStopping(stopping, exchange, () => exchange.refuse(gatewayStopping));
      if (exchange.isOpen) open(req, route.prefix, upstream);
      else release();
    };
    const acquired = upstream.webSocketQueue.acquire(slotKeys(exchange, route.routeKind));
    return acquired instanceof Promise ? acquired.then(proceed) : proceed(acquired);
  };
}

/** Opens a connection for one WebSocket, which holds its slot until it is closed. */
function open(req: Request, prefix: string, upstream: UpstreamOptions): void {
  const { exchange } = req;
  createAddressing(upstream)(req, prefix);
  upstream.agent.openApart(
    exchange.guard((error, socket) => {
      if (socket === null) {
        exchange.releaseSlot();
        exchange.refuse(error === null ? upstreamFailed : upstreamErrorOf(error));
        return;
      }
      socket.once('close', () => exchange.releaseSlot());
      if (exchange.isOpen) sendHandshake(req, socket, upstream);
      else socket.destroy();
    }),
  );
}

function sendHandshake(req: Request, socket: Socket, upstream: UpstreamOptions): void {
  const { exchange, method, url, headers } = req;
  const { agent, forwardsCredentials } = upstream;
  const sent = request({
    method,
    path: url,
    headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
    createConnection: () => socket,
  });
  socket.setTimeout(agent.timeoutMs).on('timeout', () => {
    // A paused socket waits for a client that does not read.
    if (!socket.isPaused()) sent.destroy(new UpstreamTimeout('the upstream is silent'));
  });
  sent.on('error', (error) => exchange.refuse(upstreamErrorOf(error)));
  sent.once(
    'upgrade',
    exchange.guard((received, _, head) => switchProtocols(req, received, socket, head)),
  );
  sent.once(
    'response',
    exchange.guard((received) => {
      received.on('error', () => exchange.refuse(malformedUpstreamResponse));
      const acceptEncoding = headers['accept-encoding']?.toString();
      relayResponse(responseOf(received), { exchange, method, acceptEncoding, forwardsCredentials });
    }),
  );
  exchange.attach(sent);
  sent.end();
  // `Connection: Upgrade` has set it: the connection would stay open behind another response.
  sent.shouldKeepAlive = false;
}

/** Relays a 101, and what follows it. */
function switchProtocols(req: Request, received: IncomingMessage, socket: Socket, head: Buffer): void {
  const { exchange } = req;
  exchange.upstreamStatus = 101;
  exchange.upstreamAt = performance.now();
  let isJoined = false;
  exchange.attach({
    destroy: () => {
      // Where the client has left, the last that it has sent is still written.
      if (!isJoined || exchange.refusal !== undefined) socket.destroy();
    },
  });
  if (!isAccepted(req, received)) exchange.refuse(malformedUpstreamResponse);
  const response = exchange.relay(101, switchingHeaders(exchange, received));
  if (response === undefined) return;
  response.flushHeaders();
  if (head.length > 0) socket.unshift(head);
  socket.on('data', (chunk: Buffer) => {
    exchange.responseBytes += chunk.length;
  });
  socket.once(
    'end',
    exchange.guard(() => exchange.endRelay(response)),
  );
  isJoined = true;
  joinSockets(handOver(req), socket);
}

/** Whether a 101 responds to this very handshake (RFC 6455 section 4.1), so that no other bytes pass for a WebSocket. */
function isAccepted({ headers: sent }: Request, { headers }: IncomingMessage): boolean {
  const key = sent['sec-websocket-key'];
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return (
    key !== undefined &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-accept'] === proof
  );
}

const negotiated = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const;

function switchingHeaders(exchange: Exchange, { headers }: IncomingMessage): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...exchange.headers, Connection: 'Upgrade', Upgrade: 'websocket' };
  for (const name of negotiated) if (headers[name] !== undefined) sent[name] = headers[name];
  return sent;
}
