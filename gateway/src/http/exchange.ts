import { IncomingMessage } from 'node:http';
import type { Principal } from '../authorization/answer.ts';
import type { RouteMatch } from '../routes/route-table.ts';

/** What the steps of the request path learn about one request, for those that come after. */
export interface Exchange {
  readonly startedAt: number;
  requestId: string;
  clientIp: string;
  /** http or https, as the caller spoke it. */
  protocol: string;
  /** The caller waits for `100 Continue` before it sends its body. */
  expectsContinue: boolean;
  /** The path as it was checked, without the query. */
  path: string;
  route: RouteMatch | undefined;
  principal: Principal | undefined;
  /** Requests in the rolling hour after this one; absent when it did not get so far. */
  limitUsed: number | undefined;
  passport: string;
  /** Why the gateway itself answered; absent when the upstream did. */
  refusal: string | undefined;
  /** Headers that every answer to this request carries. */
  readonly headers: Record<string, string>;
}

declare global {
  namespace Express {
    interface Request {
      readonly exchange: Exchange;
    }
  }
}

/** Requests of the gateway's server: made with their exchange, so that no step finds it missing. */
export class EdgeRequest extends IncomingMessage {
  readonly exchange: Exchange = {
    startedAt: performance.now(),
    requestId: '',
    clientIp: '',
    protocol: 'http',
    expectsContinue: false,
    path: '',
    route: undefined,
    principal: undefined,
    limitUsed: undefined,
    passport: '',
    refusal: undefined,
    headers: {},
  };
}
