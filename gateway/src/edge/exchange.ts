import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Span } from '@platform/service-kit/telemetry/span.ts';
import type { Principal, RateLimitState, RetiredString } from '../principal.ts';
import type { RouteMatch } from '../routes.ts';
import { renderError } from './error-response.ts';
import { type GatewayError, help, malformedUpstreamResponse, unexpectedError } from './errors.ts';
import { RequestBody } from './request-body.ts';

/** An upstream request, as seen by its exchange. */
interface UpstreamRequest {
  destroy(): unknown;
}

/** Bytes that are written at once. */
const pieceBytes = 65_536;

/** A body in pieces. TLS copies everything that is written, so a client that does not read costs one copied piece. */
function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

type ReportUnexpected = (exchange: Exchange, error: unknown) => void;

/**
 * One request and its one response. The steps of the request path store their results here, and only the exchange
 * writes the response. The first response wins: once it has begun, later events on either side are ignored or cut the
 * connection. In every case the upstream request ends with the exchange.
 */
export class Exchange {
  startedAt = performance.now();
  requestId = '';
  clientIp = '';
  /** Scheme of the client's request: http or https. */
  protocol = 'http';
  /** A trusted proxy says that the client sent the request over http: its credential could be read on the way. */
  isPlainHttp = false;
  /** The validated path without the query. */
  path = '';
  route: RouteMatch | undefined;
  principal: Principal | undefined;
  /** Of the request's credential, where it is one; the response does not depend on it. */
  retired: RetiredString | undefined;
  /** Undefined before admission. */
  rateLimit: RateLimitState | undefined;
  passport = '';
  /** Address of the page about errors. */
  docsUrl = '';
  /** Of this request; undefined where requests are not traced. */
  span: Span | undefined;
  /** Of the upstream request, until it has ended. */
  upstreamSpan: Span | undefined;
  /** Of the upstream's response; 0 before it. */
  upstreamStatus = 0;
  /** Monotonic milliseconds at which it was sent to the upstream; 0 before. */
  forwardedAt = 0;
  /** Monotonic milliseconds at which the head of the upstream's response came; 0 before. */
  upstreamAt = 0;
  /** The invalid part of the request, as the upstream's header names it, or the gateway's own check; undefined without either. */
  invalidInput: string | undefined;
  /** Body of an error of the API, as it was sent. */
  errorBody: string | undefined;
  /** Of the response's body; 0 before it. */
  responseBytes = 0;
  /**
   * Resolves to the refusal that the request would get now, and to undefined where it would still be allowed; undefined
   * on public routes.
   */
  recheck: (() => Promise<GatewayError | undefined>) | undefined;
  /** Reason of an error by the gateway itself; undefined when the upstream's response was relayed completely. */
  refusal: GatewayError['reason'] | undefined;
  /** Whether the response was asked for by `Prefer: simulate=…`. */
  isSimulated = false;
  /** Headers of every response to this request. */
  readonly headers: Record<string, string> = { 'X-Content-Type-Options': 'nosniff' };
  readonly body: RequestBody;
  /** Releases the slot at the upstream; idempotent. */
  slot: () => void = () => undefined;
  /** Reports exceptions in the handling of this request. */
  reportUnexpected: ReportUnexpected = () => undefined;

  /** Run in this order when the response has ended or its connection is lost. */
  readonly #ends: (() => void)[] = [];
  #hasEnded = false;
  readonly #request: EdgeRequest;
  #response: EdgeResponse | undefined;
  #phase: 'open' | 'refused' | 'relaying' = 'open';
  #upstream: UpstreamRequest | undefined;

  constructor(request: EdgeRequest) {
    this.#request = request;
    this.body = new RequestBody(request);
  }

  /** Called once, when Node has created the response. */
  adopt(response: EdgeResponse): this {
    this.#response = response;
    return this;
  }

  /** Called when a pipelined request begins, after the previous response on its connection. */
  begin(): void {
    this.startedAt = performance.now();
  }

  /** Runs a function when the response has ended or its connection is lost, or at once if that has already happened. */
  atEnd(run: () => void): void {
    if (this.#hasEnded) run();
    else this.#ends.push(run);
  }

  /** Called once, by the one listener. */
  end(): void {
    this.#hasEnded = true;
    if (!this.isComplete) this.#abandonUpstream();
    for (const run of this.#ends) {
      try {
        run();
      } catch (error) {
        this.fail(error);
      }
    }
  }

  /** Milliseconds until the head of the upstream's response, or until `now` without one; undefined if it was not forwarded. */
  upstreamMs(now: number): number | undefined {
    if (this.forwardedAt === 0) return undefined;
    return (this.upstreamAt || now) - this.forwardedAt;
  }

  /** The upstream request has ended. */
  releaseSlot(): void {
    this.endUpstreamSpan();
    this.slot();
  }

  /** Ends the span of the upstream request, where there is one; without a response it is an error. */
  endUpstreamSpan(): void {
    const { upstreamSpan: span, upstreamStatus: status } = this;
    if (span === undefined) return;
    this.upstreamSpan = undefined;
    if (status === 0) span.end({}, 'no_response');
    else span.end({ 'http.response.status_code': status }, status >= 400 ? String(status) : undefined);
  }

  /** Whether the response was sent completely. */
  get isComplete(): boolean {
    return this.#response?.writableFinished === true;
  }

  /** Whether no response has begun and the client is still connected. */
  get isOpen(): boolean {
    return this.#phase === 'open' && this.#response?.destroyed === false;
  }

  /** Responds with an error. After an earlier refusal it does nothing; an incomplete relayed response is cut. */
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
      this.#sendError(response, error);
    } catch (cause) {
      this.reportUnexpected(this, cause);
      response.cutConnection();
    }
  }

  /**
   * Begins to relay a response; `endRelay` ends it.
   * @returns undefined when a response has begun, or when HTTP cannot express this one
   */
  relay(status: number, headers: OutgoingHttpHeaders): EdgeResponse | undefined {
    const response = this.#response;
    if (response === undefined || this.#phase !== 'open') return undefined;
    if (this.body.isUnread) response.shouldKeepAlive = false;
    try {
      response.writeHead(status, headers);
    } catch {
      this.refuse(malformedUpstreamResponse);
      return undefined;
    }
    this.#phase = 'relaying';
    return response;
  }

  /** Ends a relayed response with `rest` (bytes as latin1). */
  endRelay(response: EdgeResponse, rest = ''): void {
    if (!this.body.isUnread) {
      response.end(rest, 'latin1');
      return;
    }
    if (rest !== '') response.write(rest, 'latin1');
    this.body.drain(this.guard(() => response.end()));
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

  /** Ties an upstream request to this exchange: it is destroyed with it, or at once when a response has begun. */
  attach(upstream: UpstreamRequest): void {
    this.#upstream = upstream;
    if (!this.isOpen) this.#abandonUpstream();
  }

  /** Turns an exception into a 500 for this request. */
  fail(error: unknown): void {
    this.reportUnexpected(this, error);
    this.refuse(unexpectedError);
  }

  /** Wraps a listener: its exceptions fail this exchange. */
  guard<A extends unknown[]>(listener: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        listener(...args);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** Headers of an error: those of every response, and where the page about errors explains it. */
  errorHeaders(status: number, section?: string): Readonly<Record<string, string>> {
    const explained = help(this.docsUrl, status, section);
    if (explained === undefined) return this.headers;
    const { Link } = this.headers;
    return { ...this.headers, Link: Link === undefined ? explained : `${Link}, ${explained}` };
  }

  #sendError(response: EdgeResponse, error: GatewayError): void {
    const { method, headers: received } = this.#request;
    const kind = this.route?.kind === 'found' ? this.route.routeKind : 'api';
    const { code, headers, type, body } = renderError(error, kind, this.docsUrl, received.accept);
    const isExplained = kind === 'api' || error.section !== undefined;
    if (kind === 'api') this.errorBody = body;
    this.responseBytes = Buffer.byteLength(body);
    if (error.closes || error.bodyIsLost || this.body.isUnread) response.shouldKeepAlive = false;
    response.writeHead(code, {
      'Content-Type': type,
      'Content-Length': this.responseBytes,
      'Cache-Control': 'no-store',
      ...(isExplained ? this.errorHeaders(code, error.section) : this.headers),
      ...headers,
    });
    const sent = method === 'HEAD' ? '' : body;
    if (error.bodyIsLost) response.end(sent);
    else this.endRelay(response, sent);
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
      /** Whether the connection was handed over for a WebSocket (`upgrade.ts`); set by Node. */
      readonly upgrade: boolean | null;
    }
  }
}

/** Request of the edge server, created with its exchange. */
export class EdgeRequest extends IncomingMessage {
  readonly exchange = new Exchange(this);
}

/** Milliseconds without a byte for which a connection stays open, as `Keep-Alive` promises. */
export const keepAliveMs = 60_000;

/** Response of the edge server. Only its exchange may cut it. */
export class EdgeResponse extends ServerResponse<EdgeRequest> {
  readonly exchange = this.req.exchange.adopt(this);

  /** For Node's `Keep-Alive`; Node sets it to the `keepAliveTimeout` of the server, which is off (`edgeOptions`). */
  get _keepAliveTimeout(): number {
    return keepAliveMs;
  }

  set _keepAliveTimeout(_ms: number) {
    // Stays as it is.
  }

  /** Called by the proxy when the upstream aborts, and by Node when the connection is lost before its turn has come. */
  override destroy(): this {
    if (this.socket === null && this.req.socket.destroyed) super.destroy();
    else this.exchange.refuse(malformedUpstreamResponse);
    return this;
  }

  /** Destroys the connection. */
  cutConnection(): void {
    super.destroy();
  }
}
