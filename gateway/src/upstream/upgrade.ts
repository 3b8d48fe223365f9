import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EdgeRequest } from '../http/exchange.ts';
import { malformedUpstreamResponse } from '../http/gateway-error.ts';
import type { UpstreamOptions } from './forward.ts';
import { relayResponse } from './relay-response.ts';
import { upstreamErrorOf } from './upstream-error.ts';
import { streamIdleMs, watchAccess } from './watch-access.ts';

/** Headers of the handshake's answer (RFC 6455 section 4.2.2) that reach the client. */
const handshakeHeaders = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'];

/**
 * Forwards the handshake of a WebSocket, whose head is in `req`, and joins the two connections when the upstream agrees;
 * anything else that it says is an ordinary response.
 */
export function forwardUpgrade(req: EdgeRequest, upstream: UpstreamOptions): void {
  const { exchange, url = '/', headers } = req;
  const { agent, host, keepsCredentials } = upstream;
  const sent = request({
    agent,
    host,
    path: url,
    headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket' },
  });
  exchange.attach(sent);
  sent.on('error', (error) => exchange.refuse(upstreamErrorOf(error)));
  sent.on(
    'response',
    exchange.guard((received: IncomingMessage) => {
      relayResponse(received, {
        exchange,
        method: 'GET',
        acceptEncoding: headers['accept-encoding'],
        keepsCredentials,
      });
    }),
  );
  sent.on(
    'upgrade',
    exchange.guard((received: IncomingMessage, socket: IncomingMessage['socket'], head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const response =
        received.headers.upgrade?.toLowerCase() === 'websocket'
          ? exchange.relay(101, switchingHeaders(received, exchange.headers))
          : undefined;
      if (response === undefined) {
        socket.destroy();
        exchange.refuse(malformedUpstreamResponse);
        return;
      }
      response.flushHeaders();
      response.once('close', () => socket.destroy());
      socket.setTimeout(streamIdleMs);
      if (head.length > 0) req.socket.write(head);
      join(req.socket, socket, exchange.upgradeHead);
      watchAccess(exchange, response);
    }),
  );
  sent.end();
}

function switchingHeaders(
  received: IncomingMessage,
  own: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const agreed = handshakeHeaders.flatMap((name): [string, string][] => {
    const value = received.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return { Connection: 'Upgrade', Upgrade: 'websocket', ...Object.fromEntries(agreed), ...own };
}

/** Bytes flow both ways until one side ends; then both do. */
function join(client: Duplex, upstream: Duplex, clientHead: Buffer | undefined): void {
  if (clientHead !== undefined && clientHead.length > 0) upstream.write(clientHead);
  client.pipe(upstream).pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
}
