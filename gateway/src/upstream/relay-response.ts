import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { clientResponseHeaders } from './response-headers.ts';

/** Answers up to so many bytes are sent as one write, head and body together. */
const smallBody = 65_536;

/** Sends the upstream's answer to the caller: small ones whole, all others as they arrive. */
export function relayResponse(upstream: IncomingMessage, req: Request, res: Response): void {
  const status = upstream.statusCode ?? 502;
  const headers = clientResponseHeaders(upstream, req.exchange.headers);
  const length = Number(upstream.headers['content-length'] ?? Number.NaN);
  if (req.method !== 'HEAD' && !(length <= smallBody)) {
    res.writeHead(status, headers);
    // The first bytes of a stream may be long in coming.
    if (Number.isNaN(length)) res.flushHeaders();
    upstream.pipe(res);
    return;
  }
  const chunks: Buffer[] = [];
  upstream.on('data', (chunk: Buffer) => chunks.push(chunk));
  upstream.on('end', () => {
    res.writeHead(status, headers);
    // As a string of bytes the body joins the head in one buffer; as a buffer it would be a second one to write.
    res.end(chunks.map((chunk) => chunk.toString('latin1')).join(''), 'latin1');
  });
}
