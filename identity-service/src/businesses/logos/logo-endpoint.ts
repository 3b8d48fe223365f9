import { errorHandler, httpErrorBody, httpStatusOfKind } from '@platform/service-kit/http/errors.ts';
import { immutable } from '@platform/service-kit/http/static.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { RequestHandler, Response, Router } from 'express';
import { exactRouter } from '../../web/app.ts';
import { retryAfter } from '../../web/errors.ts';
import { imageTypes } from './image.ts';
import type { LogoStore } from './store.ts';

interface LogoEndpointDeps {
  readonly logos: Pick<LogoStore, 'find'>;
  readonly logger: Logger;
}

/** GET /logos/{digest}.{type}: images of businesses, for every page; no cookie is read or set. */
export function logoEndpoint({ logos, logger }: LogoEndpointDeps): Router {
  const router = exactRouter();
  router.get('/logos/:file', showLogo(logos));
  router.use('/logos', errorHandler(logger, toErrorResponse, sendError));
  return router;
}

/**
 * Headers that let an uploaded file open as an image only: its exact type, no sniffing, and a sandbox without rights in case
 * a browser renders it as a page. Other sites may embed it.
 */
const headers = {
  ...immutable,
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

const fileName = /^([0-9a-f]{64})\.(png|jpg|webp)$/;

function showLogo(logos: LogoEndpointDeps['logos']): RequestHandler<{ file: string }> {
  return async (req, res) => {
    const [file, digest = '', type] = fileName.exec(req.params.file) ?? [];
    const found = file === undefined ? undefined : await logos.find(digest);
    if (found === undefined || found.type !== type) return sendError(res, { status: 404, text: 'Not found' });
    const tag = `"${digest}"`;
    res.set({ ...headers, ETag: tag });
    if (req.headers['if-none-match'] === tag) return void res.status(304).end();
    res.set({ 'Content-Type': imageTypes[found.type], 'Content-Length': String(found.content.length) });
    res.end(req.method === 'HEAD' ? undefined : found.content);
  };
}

interface ErrorResponse {
  readonly status: number;
  readonly text: string;
}

function toErrorResponse(error: unknown): ErrorResponse {
  const status = httpStatusOfKind[toAppError(error).kind];
  return { status, text: status === 503 ? 'Service unavailable' : 'unexpected error' };
}

function sendError(res: Response, { status, text }: ErrorResponse): void {
  if (status === 503) res.set('Retry-After', retryAfter);
  res.status(status).set('Cache-Control', 'no-store').json(httpErrorBody(status, text));
}
