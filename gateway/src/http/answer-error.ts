import type { ServerResponse } from 'node:http';
import { httpErrorBody } from '@platform/service-kit/http-error.ts';
import type { EdgeRequest } from './exchange.ts';
import { lingerThen } from './linger.ts';

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
export function answerError(req: EdgeRequest, res: ServerResponse, error: GatewayError): void {
  const { exchange } = req;
  exchange.refusal = error.reason;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const body = JSON.stringify(httpErrorBody(error.code, error.text));
  const unread = hasUnreadBody(req);
  if (unread) res.shouldKeepAlive = false;
  res.writeHead(error.code, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...exchange.headers,
    ...error.headers,
  });
  const sent = req.method === 'HEAD' ? '' : body;
  if (!unread) {
    res.end(sent);
    return;
  }
  res.write(sent);
  lingerThen(req, () => res.end());
}

function hasUnreadBody(req: EdgeRequest): boolean {
  if (req.complete) return false;
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
