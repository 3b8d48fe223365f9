import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Request } from 'express';

/** Parameters of the query, as the browser sent them. */
export function queryOf(req: Request): URLSearchParams {
  const start = req.originalUrl.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : req.originalUrl.slice(start + 1));
}

/** One parameter; undefined when absent. @throws HttpError 400 when it comes twice */
export function queryParameter(req: Request, name: string): string | undefined {
  const values = queryOf(req).getAll(name);
  if (values.length > 1) throw new HttpError(400, 'A part of the address was given twice.');
  return values[0];
}
