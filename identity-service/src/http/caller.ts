import { requestIdFrom } from '@platform/service-kit/request-context.ts';
import type { Request } from 'express';

/** Who is asking, as the gateway says. */
export interface Caller {
  /** Address that the gateway determined. */
  readonly clientIp: string;
  /** The id under which the gateway knows the request, or a new one. */
  readonly requestId: string;
}

/** Reads the headers that the gateway sets; `requireGateway` has proved that they are its own. */
export function callerOf(req: Request): Caller {
  const address = req.headers['x-forwarded-for'];
  return {
    clientIp: typeof address === 'string' ? address : (req.socket.remoteAddress ?? ''),
    requestId: requestIdFrom(req.headers['x-request-id']),
  };
}
