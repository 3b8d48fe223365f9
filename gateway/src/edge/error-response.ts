import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { httpErrorBody } from '@platform/service-kit/http/errors.ts';
import type { GatewayError } from './errors.ts';
import type { EdgeRequest, EdgeResponse } from './exchange.ts';

/** Milliseconds and bytes for which the rest of a request is drained after its response. */
const drainMs = 2_000;

const drainBytes = 32 * 1024 * 1024;

/**
 * Ends a response with `rest` after the request has ended: closing earlier would reset the connection, and a client
 * that sends before it reads would lose the response (RFC 9112 section 9.6). Drains the request for a bounded time;
 * beyond the limit of bytes it stops reading and waits for the client to notice.
 */
export function endResponse(req: EdgeRequest, res: ServerResponse, rest = ''): void {
  if (!hasUnreadBody(req)) {
    res.end(rest, 'latin1');
    return;
  }
  if (rest !== '') res.write(rest, 'latin1');
  let drained = 0;
  const end = req.exchange.guard(() => res.end());
  const timer = setTimeout(end, drainMs);
  finished(req, () => {
    clearTimeout(timer);
    end();
  });
  req.unpipe();
  req.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > drainBytes) req.pause();
  });
  req.resume();
}

/** Whether parts of the request are unread. Its connection cannot be reused then. */
export function hasUnreadBody(req: EdgeRequest): boolean {
  return !req.complete && req.exchange.body.isExpected;
}

/** Writes an error of the gateway in the format of its route. */
export function sendError(req: EdgeRequest, res: EdgeResponse, error: GatewayError): void {
  const { exchange } = req;
  const { code, headers, type, body } = renderError(req, error);
  if (error.closes || error.bodyIsLost || hasUnreadBody(req)) res.shouldKeepAlive = false;
  res.writeHead(code, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...exchange.headers,
    ...headers,
  });
  const sent = req.method === 'HEAD' ? '' : body;
  if (error.bodyIsLost) res.end(sent);
  else endResponse(req, res, sent);
}

interface Rendered {
  readonly code: number;
  readonly headers: GatewayError['headers'];
  readonly type: string;
  readonly body: string;
}

const json = 'application/json; charset=utf-8';

const html = 'text/html; charset=utf-8';

const pageHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** API: contract 7.2. OAuth endpoints: RFC 6749 section 5.2. Pages: HTML, when the client accepts it. */
function renderError(req: EdgeRequest, error: GatewayError): Rendered {
  const { code, text = '', headers } = error;
  const { route } = req.exchange;
  const kind = route?.kind === 'found' ? route.routeKind : 'api';
  if (kind === 'oauth') return renderOauthError(error);
  if (kind === 'page' && req.headers.accept?.includes('text/html')) {
    return { code, type: html, body: renderPage(code, text), headers: { ...headers, ...pageHeaders } };
  }
  return { code, headers, type: json, body: JSON.stringify(httpErrorBody(code, error.text)) };
}

/** OAuth: every server error is `server_error` with 503. */
function renderOauthError({ code, text, oauthText = text, headers }: GatewayError): Rendered {
  const isServerError = code >= 500;
  const error = isServerError ? 'server_error' : 'invalid_request';
  const body = JSON.stringify({ error, error_description: oauthText });
  return { code: isServerError ? 503 : code, type: json, body, headers: { ...headers, Pragma: 'no-cache' } };
}

function renderPage(code: number, text: string): string {
  const title = code >= 500 ? 'Not available at the moment' : 'This did not work';
  const advice = code >= 500 ? 'Please try again in a moment.' : 'Please go back and try again.';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.5rem; }
</style>
<main>
  <h1>${title}</h1>
  <p>${advice}</p>
  <p><small>${code}: ${text}</small></p>
</main>
</html>
`;
}
