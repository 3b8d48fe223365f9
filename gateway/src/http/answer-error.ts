import type { ServerResponse } from 'node:http';
import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { Request } from 'express';

/** An answer of the gateway itself. */
export interface GatewayError {
  readonly code: number;
  /** Public text; 403 has none. */
  readonly text?: string;
  /** Stable word for logs and metrics. */
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one place where the gateway's errors become bytes. */
export function answerError(req: Request, res: ServerResponse, error: GatewayError): void {
  const { exchange } = req;
  exchange.refusal = error.reason;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const body = JSON.stringify(httpErrorBody(error.code, error.text));
  // What is still to come of a refused body is not worth reading.
  if (hasUnreadBody(req)) res.shouldKeepAlive = false;
  res.writeHead(error.code, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...exchange.headers,
    ...error.headers,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function hasUnreadBody(req: Request): boolean {
  if (req.complete) return false;
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
