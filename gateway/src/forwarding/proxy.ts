import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { type Duplex, Stream } from 'node:stream';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import {
  type GatewayError,
  malformedUpstreamResponse,
  upstreamFailed,
  upstreamSaturated,
  upstreamTimeout,
} from '../edge/errors.ts';
import type { EdgeRequest, Exchange } from '../edge/exchange.ts';
import type { Upstream } from '../routes.ts';
import { type UpstreamAgent, UpstreamTimeout } from './agent.ts';
import { type FairQueue, placeKeys } from './places.ts';
import { upstreamRequestHeaders } from './request-headers.ts';
import { relayResponse, streamIdleMs, watchAccess } from './response.ts';

/** What the client is told when the upstream gave no response: 504 for silence, 502 for everything else. */
function upstreamErrorOf(error: Error): GatewayError {
  if (error instanceof UpstreamTimeout) return upstreamTimeout;
  const isParseError = 'code' in error && typeof error.code === 'string' && error.code.startsWith('HPE_');
  return isParseError ? malformedUpstreamResponse : upstreamFailed;
}

/** Headers of the handshake's answer (RFC 6455 section 4.2.2) that reach the client. */
const handshakeHeaders = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'];

/**
 * Forwards the handshake of a WebSocket, whose head is in `req`, and joins the two connections when the upstream agrees;
 * anything else that it says is an ordinary response.
 */
function forwardUpgrade(req: EdgeRequest, upstream: UpstreamOptions): void {
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

/** A service behind the gateway. */
interface UpstreamOptions {
  readonly agent: UpstreamAgent;
  readonly queue: FairQueue;
  /** Name that the upstream sees in its Host header; the agent knows the addresses. */
  readonly host: string;
  /** What makes the upstream believe the gateway. */
  readonly proofOf: (exchange: Exchange) => Readonly<Record<string, string>>;
  /** Whether the upstream reads the client's Authorization and cookies, and may set cookies. */
  readonly keepsCredentials: boolean;
}

export type Upstreams = Readonly<Record<Upstream, UpstreamOptions>>;

/** Forwards a request that may go on, once it has a place at its upstream. */
export function forwardRequest(upstreams: Upstreams): RequestHandler {
  const forwarders = {
    business: createForwarder(upstreams.business),
    identity: createForwarder(upstreams.identity),
  };
  return async (req, res, next) => {
    const { exchange } = req;
    const { route } = exchange;
    if (route?.kind !== 'found') return next(new Error('only a route that was found is forwarded'));
    if (route.upstream === 'docs') return next();
    const entered = upstreams[route.upstream].queue.enter(placeKeys(exchange, route.routeKind));
    const leave = entered instanceof Promise ? await entered : entered;
    if (leave === undefined) return exchange.refuse(upstreamSaturated);
    if (!exchange.isOpen) return leave();
    exchange.leavePlace = leave;
    res.once('close', leave);
    return forwarders[route.upstream](req, res, route.prefix, next);
  };
}

type Forwarder = (req: Request, res: Response, prefix: string, next: NextFunction) => Promise<void>;

/** A request to an upstream, with its exchange: in a WeakMap, V8 would collect garbage at length. */
interface SentRequest extends ClientRequest {
  exchange?: Exchange;
}

/** What the proxy takes for the request's body: each upstream request gets that of its own exchange. */
class ExchangeBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const sent = destination as unknown as SentRequest;
    const { exchange } = sent;
    if (exchange?.isOpen) exchange.guard(() => exchange.body.sendTo(sent))();
    return destination;
  }
}

function createForwarder(upstream: UpstreamOptions): Forwarder {
  const { agent, host, proofOf, keepsCredentials } = upstream;
  const options: Options<Request, Response> = {
    target: { protocol: 'http:', host, port: 80 },
    agent,
    buffer: new ExchangeBody(),
    selfHandleResponse: true,
    // The default plugins answer errors in plain text, with the upstream's address in it.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (sent: SentRequest, { exchange }) => {
          sent.exchange = exchange;
          sent.once('close', exchange.leavePlace);
          sent.once('upgrade', (_, socket) => refuseUpgrade(socket, exchange));
          exchange.attach(sent);
        });
        proxy.on('proxyRes', (received, { exchange, method, headers }) => {
          const acceptEncoding = headers['accept-encoding']?.toString();
          exchange.guard(relayResponse)(received, { exchange, method, acceptEncoding, keepsCredentials });
        });
        proxy.on('error', (error, req) => req?.exchange.refuse(upstreamErrorOf(error)));
      },
    ],
  };
  const proxy = createProxyMiddleware(options);

  return async (req, res, prefix, next) => {
    const { exchange, headers, url } = req;
    const { requestId, clientIp, protocol } = exchange;
    const proof = proofOf(exchange);
    const facts = { requestId, clientIp, protocol, prefix, host, proof, keepsCredentials };
    req.url = url.slice(prefix.length);
    req.headers = upstreamRequestHeaders(headers, { ...facts, bodyLength: exchange.body.length });
    if (exchange.upgradeHead !== undefined) forwardUpgrade(req, upstream);
    else return proxy(req, res, next);
  };
}

/** 101 where nobody asked for it. */
function refuseUpgrade(socket: IncomingMessage['socket'], exchange: Exchange): void {
  socket.destroy();
  exchange.refuse(malformedUpstreamResponse);
}
