import type { ClientRequest } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { answerError } from '../http/answer-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Upstream } from '../routes/routes.ts';
import type { UpstreamAgent } from './agent.ts';
import { emptyBody } from './empty-body.ts';
import { relayResponse } from './relay-response.ts';
import { upstreamRequestHeaders } from './request-headers.ts';
import { upstreamErrorOf } from './upstream-error.ts';

/** A service behind the gateway. */
export interface UpstreamOptions {
  readonly agent: UpstreamAgent;
  /** Name that the upstream sees in its Host header; the agent knows the addresses. */
  readonly host: string;
  /** What makes the upstream believe the gateway. */
  readonly proofOf: (exchange: Exchange) => Readonly<Record<string, string>>;
  /** Whether the upstream reads the caller's Authorization and cookies. */
  readonly keepsCredentials: boolean;
}

export interface ForwardOptions {
  readonly upstreams: Readonly<Record<Upstream, UpstreamOptions>>;
  readonly maxBodyBytes: number;
}

/** Forwards a request that may go on. Bodies and answers pass as they arrive. */
export function forwardRequest({ upstreams, maxBodyBytes }: ForwardOptions): RequestHandler {
  const forwarders = {
    business: createForwarder(upstreams.business, maxBodyBytes),
    identity: createForwarder(upstreams.identity, maxBodyBytes),
  };
  return (req, res, next) => {
    const { route } = req.exchange;
    if (route?.kind !== 'found') return next(new Error('only a route that was found is forwarded'));
    return forwarders[route.upstream](req, res, route.prefix, next);
  };
}

type Forwarder = (req: Request, res: Response, prefix: string, next: NextFunction) => Promise<void>;

function createForwarder(upstream: UpstreamOptions, maxBodyBytes: number): Forwarder {
  const { agent, host, proofOf, keepsCredentials } = upstream;
  const options: Options<Request, Response> = {
    target: { protocol: 'http:', host, port: 80 },
    agent,
    selfHandleResponse: true,
    // The default plugins answer errors in plain text, with the upstream's address in it.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (sent, req, res) => prepareBody(sent, req, res, maxBodyBytes));
        proxy.on('proxyRes', (received, req, res) => relayResponse(received, req, res));
        proxy.on('error', (error, req, res) => {
          if (req !== undefined && res !== undefined && 'writeHead' in res) answerFailure(error, req, res);
        });
      },
    ],
  };
  const withBody = createProxyMiddleware(options);
  const withoutBody = createProxyMiddleware({ ...options, buffer: emptyBody });

  return (req, res, prefix, next) => {
    const { exchange, headers, url } = req;
    const { requestId, clientIp, protocol } = exchange;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const proof = proofOf(exchange);
    const facts = { requestId, clientIp, protocol, prefix, host, proof, keepsCredentials };
    req.url = url.slice(prefix.length);
    req.headers = upstreamRequestHeaders(headers, facts);
    return (hasBody ? withBody : withoutBody)(req, res, next);
  };
}

/** The upstream is connected and the body is about to flow. */
function prepareBody(sent: ClientRequest, req: Request, res: Response, maxBodyBytes: number): void {
  if (req.exchange.expectsContinue) res.writeContinue();
  if (!req.complete) res.once('finish', () => abandonRest(sent, req));
  if (req.headers['transfer-encoding'] === undefined) return;
  let received = 0;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxBodyBytes || res.headersSent) return;
    answerError(req, res, {
      code: 413,
      reason: 'body_too_large',
      text: `the body is larger than ${maxBodyBytes} bytes`,
    });
    sent.destroy();
  });
}

/** Whoever has been answered in the middle of its body needs the upstream no longer. */
function abandonRest(sent: ClientRequest, req: Request): void {
  if (!req.complete) sent.destroy();
}

function answerFailure(error: Error, req: Request, res: Response): void {
  if (req.exchange.refusal !== undefined) return;
  answerError(req, res, upstreamErrorOf(error));
}
