import type { ClientRequest } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { answerError } from '../http/answer-error.ts';
import type { UpstreamAgent } from './agent.ts';
import { emptyBody } from './empty-body.ts';
import { relayResponse } from './relay-response.ts';
import { upstreamRequestHeaders } from './request-headers.ts';
import { upstreamErrorOf } from './upstream-error.ts';

export interface ForwardOptions {
  readonly agent: UpstreamAgent;
  /** Name that the upstream sees in its Host header; the agent knows the addresses. */
  readonly host: string;
  readonly maxBodyBytes: number;
}

/** Forwards an admitted request. Bodies and answers pass as they arrive. */
export function forwardRequest({ agent, host, maxBodyBytes }: ForwardOptions): RequestHandler {
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

  return (req, res, next) => {
    const { exchange, headers, url } = req;
    const { route } = exchange;
    if (route?.kind !== 'found') return next(new Error('only a route that was found is forwarded'));
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    req.url = url.slice(route.prefix.length);
    req.headers = upstreamRequestHeaders(headers, {
      requestId: exchange.requestId,
      clientIp: exchange.clientIp,
      protocol: exchange.protocol,
      passport: exchange.passport,
      prefix: route.prefix,
      host,
    });
    return (hasBody ? withBody : withoutBody)(req, res, next);
  };
}

/** The upstream is connected and the body is about to flow. */
function prepareBody(sent: ClientRequest, req: Request, res: Response, maxBodyBytes: number): void {
  if (req.exchange.expectsContinue) res.writeContinue();
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

function answerFailure(error: Error, req: Request, res: Response): void {
  if (req.exchange.refusal !== undefined) return;
  answerError(req, res, upstreamErrorOf(error));
}
