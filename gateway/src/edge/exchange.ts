import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Principal } from '../access/authorization-result.ts';
import type { RouteMatch } from '../routes.ts';
import { type GatewayError, malformedUpstreamResponse, unexpectedError } from './errors.ts';
import { RequestBody } from './request-body.ts';
import { endResponse, hasUnreadBody, sendError } from './respond.ts';

/** The request to the upstream, as far as its exchange minds it. */
export interface UpstreamRequest {
  destroy(): unknown;
}

/** Bytes that are written at once. */
const pieceBytes = 65_536;

/** A body in pieces, so that a client that does not read holds one of them: TLS copies whatever is written. */
function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

type ReportUnexpected = (exchange: Exchange, error: unknown) => void;

/**
 * One request and its one response. The steps of the request path leave here what they learned; and only the exchange
 * writes the response. The first response wins: once it has begun, whatever else happens on either side can only be
 * ignored or cut the connection, never write a second one. Whoever loses, the upstream request is ended.
 */
export class Exchange {
  readonly startedAt = performance.now();
  requestId = '';
  clientIp = '';
  /** http or https, as the client spoke it. */
  protocol = 'http';
  /** The path as it was checked, without the query. */
  path = '';
  route: RouteMatch | undefined;
  principal: Principal | undefined;
  /** Requests in the rolling hour after this one; absent when it did not get so far. */
  limitUsed: number | undefined;
  passport = '';
  /** Whether the request would still be let in; absent where no credential was needed. */
  recheck: (() => Promise<boolean>) | undefined;
  /** What the client sent behind the head of a WebSocket handshake; absent for every other request. */
  upgradeHead: Buffer | undefined;
  /** Why the gateway itself responded, or cut the connection; absent when the upstream's response was passed on whole. */
  refusal: GatewayError['reason'] | undefined;
  /** Headers of every response to this request. */
  readonly headers: Record<string, string> = { 'X-Content-Type-Options': 'nosniff' };
  readonly body: RequestBody;
  /** Gives back the place at the upstream. */
  leavePlace: () => void = () => undefined;
  /** Told of exceptions in the handling of this request. */
  reportUnexpected: ReportUnexpected = () => undefined;

  readonly #request: EdgeRequest;
  #response: EdgeResponse | undefined;
  #phase: 'open' | 'refused' | 'relaying' = 'open';
  #upstream: UpstreamRequest | undefined;

  constructor(request: EdgeRequest) {
    this.#request = request;
    this.body = new RequestBody(request);
  }

  /** Called once, when Node has made the response to this request. */
  adopt(response: EdgeResponse): this {
    this.#response = response;
    return this;
  }

  /** Whether no response has begun and the client is still there. */
  get isOpen(): boolean {
    return this.#phase === 'open' && this.#response?.destroyed === false;
  }

  /**
   * Responds with an error, unless a response has begun: one of the gateway's own stands, one of the upstream's that is
   * not complete is cut.
   */
  refuse(error: GatewayError): void {
    const response = this.#response;
    if (response === undefined || response.destroyed || this.#phase === 'refused') return;
    if (this.#phase === 'relaying') {
      if (!response.writableEnded) this.#cut(response, error.reason);
      return;
    }
    this.#phase = 'refused';
    this.refusal = error.reason;
    this.#abandonUpstream();
    try {
      sendError(this.#request, response, error);
    } catch (cause) {
      this.reportUnexpected(this, cause);
      response.cutConnection();
    }
  }

  /**
   * Begins the response with the upstream's head; undefined when another has begun, or when HTTP cannot express it. The
   * response is ended by `endRelay`.
   */
  relay(status: number, headers: OutgoingHttpHeaders): EdgeResponse | undefined {
    const response = this.#response;
    if (response === undefined || this.#phase !== 'open') return undefined;
    if (hasUnreadBody(this.#request)) response.shouldKeepAlive = false;
    try {
      response.writeHead(status, headers);
    } catch {
      this.refuse(malformedUpstreamResponse);
      return undefined;
    }
    this.#phase = 'relaying';
    return response;
  }

  /** Ends a response of the upstream, `rest` (bytes as latin1) with it. */
  endRelay(response: EdgeResponse, rest?: string): void {
    endResponse(this.#request, response, rest);
  }

  /** Responds with a body of the gateway's own, or without one, unless a response has begun. */
  respond(status: number, headers: OutgoingHttpHeaders, body?: Buffer): void {
    const response = this.relay(status, { ...this.headers, ...headers });
    if (response === undefined) return;
    if (body === undefined) {
      this.endRelay(response);
      return;
    }
    const flow = Readable.from(piecesOf(body));
    flow.pipe(response, { end: false });
    flow.on(
      'end',
      this.guard(() => this.endRelay(response)),
    );
  }

  /** Makes the upstream request end with this exchange. A request that comes too late is ended at once. */
  attach(upstream: UpstreamRequest): void {
    this.#upstream = upstream;
    if (!this.isOpen) this.#abandonUpstream();
  }

  /** An exception in the handling of this request: it costs this request its response, and no other. */
  fail(error: unknown): void {
    this.reportUnexpected(this, error);
    this.refuse(unexpectedError);
  }

  /** The listener, with its exceptions turned into the failure of this exchange. */
  guard<A extends unknown[]>(listener: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        listener(...args);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  #cut(response: EdgeResponse, reason: GatewayError['reason']): void {
    this.refusal ??= reason;
    this.#abandonUpstream();
    response.cutConnection();
  }

  #abandonUpstream(): void {
    this.#upstream?.destroy();
  }
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
  readonly exchange = new Exchange(this);
}

/** Responses of the gateway's server. Only the exchange may cut one. */
export class EdgeResponse extends ServerResponse<EdgeRequest> {
  readonly exchange = this.req.exchange.adopt(this);

  /** What the proxy calls when the upstream broke off. */
  override destroy(): this {
    this.exchange.refuse(malformedUpstreamResponse);
    return this;
  }

  /** Ends the connection where it stands. */
  cutConnection(): void {
    super.destroy();
  }
}
