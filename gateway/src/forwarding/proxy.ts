import type { ClientRequest, IncomingMessage } from 'node:http';
import { Stream } from 'node:stream';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { gatewayStopping, malformedUpstreamResponse, upstreamSaturated } from '../edge/errors.ts';
import type { Exchange } from '../edge/exchange.ts';
import { createUpstreamOperations } from '../edge/trace.ts';
import type { UpstreamAgent } from './agent.ts';
import { DispatchedRequest } from './dispatch.ts';
import { type FairQueue, type Release, slotKeys } from './fair-queue.ts';
import type { UpstreamPool } from './pool.ts';
import { upstreamRequestHeaders } from './request-headers.ts';
import { relayResponse, responseOf, watchAccess } from './response.ts';
import { upstreamErrorOf } from './upstream-error.ts';

/** A service behind the gateway. */
export interface UpstreamOptions {
  /** Connections of requests whose body is streamed. */
  readonly agent: UpstreamAgent;
  /** Connections of all other requests. */
  readonly pool: UpstreamPool;
  readonly queue: FairQueue;
  /** Slots of WebSockets, which live long: they take none from requests. */
  readonly webSocketQueue: FairQueue;
  /** Host header sent to the upstream; the agent has its addresses. */
  readonly host: string;
  /** Headers that authenticate the gateway to the upstream: the passport or the shared secret. */
  readonly authHeadersFor: (exchange: Exchange) => Readonly<Record<string, string>>;
  /** Whether requests may ask the upstream to wait: see `waitOf`. */
  readonly mayWait: boolean;
  /** Whether the upstream reads the client's Authorization and cookies, and may set cookies. */
  readonly forwardsCredentials: boolean;
}

/** By name. */
export type Upstreams = ReadonlyMap<string, UpstreamOptions>;

/**
 * Forwards a request once it has a slot at its upstream.
 * @param stopping aborts shortly before the gateway cuts what is in flight
 */
export function forwardRequest(upstreams: Upstreams, stopping: AbortSignal): RequestHandler {
  const forwarders = new Map(
    [...upstreams].map(([name, upstream]) => [name, { ...upstream, forward: createForwarder(upstream) }]),
  );
  return (req, res, next) => {
    const { exchange } = req;
    const { route } = exchange;
    if (route?.kind !== 'found') return next(new Error('cannot forward without a route'));
    const forwarder = forwarders.get(route.upstream);
    // What the gateway serves itself.
    if (forwarder === undefined) return next();
    const { queue, mayWait, forward } = forwarder;
    const proceed = (release: Release | undefined) => {
      if (release === undefined) return exchange.refuse(upstreamSaturated);
      if (!exchange.isOpen) return release();
      exchange.slot = release;
      exchange.atEnd(release);
      if (mayWait) {
        watchAccess(exchange);
        // So that the client can retry at another gateway.
        onStopping(stopping, exchange, () => {
          if (exchange.isOpen) exchange.refuse(gatewayStopping);
        });
        if (!exchange.isOpen) return;
      }
      return forward(req, res, route.prefix, next);
    };
    const acquired = queue.acquire(slotKeys(exchange, route.routeKind));
    return acquired instanceof Promise ? acquired.then(proceed) : proceed(acquired);
  };
}

/** Runs a function once the gateway shuts down, unless the exchange has ended before. */
export function onStopping(stopping: AbortSignal, exchange: Exchange, run: () => void): void {
  if (stopping.aborted) run();
  else stopping.addEventListener('abort', run);
  exchange.atEnd(() => stopping.removeEventListener('abort', run));
}

/** Milliseconds that a request asks the upstream to wait for: `wait` in its query, 0 to 30 seconds. */
function waitOf(url: string): number {
  const seconds = /[?&]wait=(\d{1,2})(?:&|$)/.exec(url)?.[1];
  return Math.min(Number(seconds ?? 0), 30) * 1_000;
}

/** Path of the check of a webhook receiver, which sends it several requests before it responds. */
const receiverCheck = /^\/dashboard-api\/businesses\/\d+\/webhook-endpoints\/\w+\/check(?:\?|$)/;

/** Milliseconds that such a check takes at most. */
const receiverCheckMs = 20_000;

/** Milliseconds by which a request may legitimately extend the upstream's usual silence. */
function extraSilenceOf(url: string, mayWait: boolean): number {
  if (mayWait) return waitOf(url);
  return receiverCheck.test(url) ? receiverCheckMs : 0;
}

type Forwarder = (req: Request, res: Response, prefix: string, next: NextFunction) => Promise<void> | void;

/** A property instead of a WeakMap: entries per request make V8's garbage collection slow. */
interface SentRequest extends ClientRequest {
  exchange?: Exchange;
}

/** Body source for the proxy: pipes the body of the request's own exchange. */
class ExchangeBody extends Stream {
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const sent = destination as unknown as SentRequest;
    const { exchange } = sent;
    if (exchange?.isOpen) exchange.guard(() => exchange.body.sendTo(sent))();
    return destination;
  }
}

function createForwarder(upstream: UpstreamOptions): Forwarder {
  const { agent, host, mayWait, forwardsCredentials } = upstream;
  const options: Options<Request, Response> = {
    target: { protocol: 'http:', host, port: 80 },
    agent,
    buffer: new ExchangeBody(),
    selfHandleResponse: true,
    // The default plugins write plain-text errors with the upstream's address.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (sent: SentRequest, { exchange, url }) => {
          sent.exchange = exchange;
          // The agent resets the time-out of the connection for its next request.
          const extraMs = extraSilenceOf(url ?? '', mayWait);
          if (extraMs > 0) sent.setTimeout(agent.timeoutMs + extraMs);
          sent.once('close', () => exchange.releaseSlot());
          sent.once('upgrade', (_, socket) => refuseUpgrade(socket, exchange));
          exchange.attach(sent);
        });
        proxy.on('proxyRes', (received, { exchange, method, headers }) => {
          const acceptEncoding = headers['accept-encoding']?.toString();
          exchange.guard(relayResponse)(responseOf(received), {
            exchange,
            method,
            acceptEncoding,
            forwardsCredentials,
          });
        });
        proxy.on('error', (error, req) => req?.exchange.refuse(upstreamErrorOf(error)));
      },
    ],
  };
  const proxy = createProxyMiddleware(options);
  const address = createAddressing(upstream);

  return (req, res, prefix, next) => {
    address(req, prefix);
    if (req.exchange.body.isAtHand) return dispatch(req, upstream);
    return proxy(req, res, next);
  };
}

/** Turns a client's request into that to the upstream: its path, its headers, and its span. */
export function createAddressing(upstream: UpstreamOptions): (req: Request, prefix: string) => void {
  const { host, authHeadersFor, forwardsCredentials } = upstream;
  const operationOf = createUpstreamOperations(host);
  return (req, prefix) => {
    const { exchange, headers, url } = req;
    const { requestId, clientIp, protocol } = exchange;
    exchange.forwardedAt = performance.now();
    const span = exchange.span?.startForwarding(operationOf(req.method));
    exchange.upstreamSpan = span;
    const authHeaders = authHeadersFor(exchange);
    const context = { requestId, clientIp, protocol, prefix, host, authHeaders, forwardsCredentials, span };
    req.url = url.slice(prefix.length);
    req.headers = upstreamRequestHeaders(headers, { ...context, bodyLength: exchange.body.length });
  };
}

/** Forwards a request without a body, or with a completely buffered one. */
function dispatch(req: Request, { pool, mayWait, forwardsCredentials }: UpstreamOptions): void {
  const { exchange, method, url, headers } = req;
  const timeoutMs = pool.timeoutMs + extraSilenceOf(url, mayWait);
  const acceptEncoding = headers['accept-encoding']?.toString();
  const sent = new DispatchedRequest(
    // Without `reset` undici closes the connection after a HEAD, and after a body of an unusual method.
    { path: url, method, headers, body: exchange.body.take(), reset: false },
    {
      exchange,
      pool,
      timeoutMs,
      target: { exchange, method, acceptEncoding, forwardsCredentials },
      isConditional: headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined,
    },
  );
  exchange.attach(sent);
  pool.dispatch(sent);
}

/** Refuses an upgrade by the upstream that the client did not request. */
function refuseUpgrade(socket: IncomingMessage['socket'], exchange: Exchange): void {
  socket.destroy();
  exchange.refuse(malformedUpstreamResponse);
}
