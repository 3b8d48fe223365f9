import { finished } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import { isApiPath } from '../routes.ts';
import { plainHttp } from './errors.ts';

/** A request to an OAuth endpoint that was refused because it came over http. */
export interface ExposedRequest {
  readonly requestId: string;
  /** End of the response, milliseconds since 1970. */
  readonly at: number;
  /** Path of the route. */
  readonly route: string;
  readonly clientIp: string;
  /** Headers; empty where absent. */
  readonly authorization: string;
  readonly contentType: string;
  /** Empty where it was not kept. */
  readonly body: string;
}

export interface RefusePlainHttpDeps {
  /** Origin of the platform; undefined where it is not known. */
  readonly publicUrl: string | undefined;
  readonly exposedSecrets: { record(request: ExposedRequest): void };
}

/** Largest body that is kept, in bytes, and the number of bodies that are kept at a time. */
const maxBodyBytes = 8_192;

const maxKept = 256;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Refuses API requests that the client sent over http, before anything is looked up. If the platform has https, page
 * requests are redirected to it, except for forms, which are refused. Requests to OAuth endpoints are reported after the
 * response. Their body may hold the client secret and is drained in any case (`RequestBody.drain`), so a small one is kept.
 */
export function refusePlainHttp({ publicUrl, exposedSecrets }: RefusePlainHttpDeps): RequestHandler {
  let kept = 0;

  function follow(req: Request): void {
    const { exchange, headers } = req;
    const { authorization = '', 'content-type': contentType = '' } = headers;
    const keepsBody = authorization === '' && kept < maxKept;
    if (keepsBody) kept++;
    const text = keepsBody ? receiveText(req).finally(() => kept--) : Promise.resolve('');
    exchange.atEnd(() => {
      const { requestId, clientIp, route } = exchange;
      const seen = {
        requestId,
        at: Date.now(),
        route: route?.name ?? '',
        clientIp,
        authorization,
        contentType,
      };
      void text.then((body) => exposedSecrets.record({ ...seen, body }));
    });
  }

  return (req, _res, next) => {
    const { exchange } = req;
    if (!exchange.isPlainHttp) return next();
    if (!isApiPath(exchange.path)) {
      if (!publicUrl?.startsWith('https:')) return next();
      if (!safeMethods.has(req.method)) return exchange.refuse(plainHttp);
      return exchange.respond(308, { Location: `${publicUrl}${req.url}`, 'Cache-Control': 'no-store' });
    }
    const { route } = exchange;
    if (route?.kind === 'found' && route.routeKind === 'oauth') follow(req);
    exchange.refuse(plainHttp);
  };
}

/** The text of a body that is small enough; empty for any other. */
function receiveText(req: Request): Promise<string> {
  let chunks: Buffer[] = [];
  let received = 0;
  req.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxBodyBytes) chunks.push(chunk);
    else chunks = [];
  });
  return new Promise((resolve) => finished(req, () => resolve(Buffer.concat(chunks).toString('utf8'))));
}
