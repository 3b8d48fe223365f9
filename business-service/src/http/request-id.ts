import { randomUUID } from 'node:crypto';
import type { Request } from 'express';

const usable = /^[\w.-]{1,128}$/;

/** The id under which the gateway knows the request, or a new one. */
export function requestIdOf(req: Request): string {
  const sent = req.headers['x-request-id'];
  return typeof sent === 'string' && usable.test(sent) ? sent : randomUUID();
}
