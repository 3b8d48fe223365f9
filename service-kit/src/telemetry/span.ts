import { randomInt, randomUUID } from 'node:crypto';
import { formatTraceparent, type RemoteParent, spanIdOf, traceIdOf } from './traceparent.ts';

/** Attributes of a span, named by the semantic conventions of OpenTelemetry. Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Kinds of spans, numbered as in OTLP. */
export const spanKind = { server: 2, client: 3 } as const;

/** The common part of the spans of one origin: made once, shared by each of them. */
export interface Operation {
  /** Name of the span; of few values. */
  readonly name: string;
  readonly kind: (typeof spanKind)[keyof typeof spanKind];
  readonly attributes: Attributes;
}

/** Takes the spans of requests that have ended. */
export interface SpanSink {
  /** Of a request that was sampled. */
  export(spans: readonly Span[]): void;
  /** Of a request that has failed and was not sampled; false when there were too many of them. */
  exportFailed(spans: readonly Span[]): boolean;
  /** Counts a span beyond those that are kept of one request. */
  countExcess(): void;
}

/** Spans of a request that are kept until its end. */
const maxSpans = 200;

/** The part of a trace that belongs to one request in this process: kept in memory until the request ends. */
class Trace {
  readonly isSampled: boolean;
  /** Of another process; undefined for a trace that begins with this request. */
  readonly parent: RemoteParent | undefined;
  /** Span of the forwarded request, if the upstream derives its id from the request id; see `parentByRequestId`. */
  forwarding: Span | undefined;
  readonly #sink: SpanSink;
  readonly #requestId: string | undefined;
  #id: string | undefined;
  /** The span that ended last, linked to those before it. */
  #last: Span | undefined;
  #count = 0;
  #isExported: boolean | undefined;

  constructor(sink: SpanSink, { requestId, isSampled, parent }: RootOptions) {
    this.#sink = sink;
    this.#requestId = requestId;
    this.isSampled = isSampled;
    this.parent = parent;
  }

  get id(): string {
    this.#id ??= this.parent?.traceId ?? traceIdOf(this.#requestId ?? randomUUID());
    return this.#id;
  }

  /** Called when a span has ended. Spans that outlive the request are exported on their own. */
  add(span: Span): void {
    if (this.#isExported === true) this.#sink.export([span]);
    else if (this.#isExported === undefined) this.#keep(span);
  }

  /** The request has ended with this span. */
  end(root: Span): void {
    if (this.isSampled) {
      this.#sink.export([root, ...this.#kept()]);
      this.#isExported = true;
    } else {
      this.#isExported = root.errorType !== undefined && this.#sink.exportFailed([root, ...this.#kept()]);
    }
    this.#last = undefined;
  }

  #keep(span: Span): void {
    if (this.#count === maxSpans) {
      this.#sink.countExcess();
      return;
    }
    this.#count++;
    span.earlier = this.#last;
    this.#last = span;
  }

  /** Kept spans, in the order of their ends. */
  #kept(): Span[] {
    const spans: Span[] = [];
    for (let span = this.#last; span !== undefined; span = span.earlier) spans.push(span);
    return spans.reverse();
  }
}

const nothing: Attributes = {};

const spanIdPrefix = randomUUID().slice(0, 8);

let lastSpanId = randomInt(2 ** 31);

/** Ids need only be unique, so they are a random prefix per process and a counter. Random ids take three times as long. */
function newSpanId(): string {
  lastSpanId = (lastSpanId + 1) % 2 ** 32;
  return spanIdPrefix + lastSpanId.toString(16).padStart(8, '0');
}

export interface RootOptions {
  /** UUID of the request, whose digits become the id of a trace that begins here. Random where absent. */
  readonly requestId?: string | undefined;
  readonly isSampled: boolean;
  /** Undefined for a request that begins a trace. */
  readonly parent: RemoteParent | undefined;
  readonly operation: Operation;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/** One timed step of a request. Until it is exported, it only consists of its fields. */
export class Span {
  readonly #trace: Trace;
  readonly #isRoot: boolean;
  readonly #parent: Span | RemoteParent | undefined;
  #operation: Operation;
  #id: string | undefined;
  #hasEnded = false;
  /** Of the same request, the span that ended before this one. */
  earlier: Span | undefined;
  /** Known at the end only. */
  attributes: Attributes = nothing;
  /** Of an error: a status, a code or a name; undefined otherwise. */
  errorType: string | undefined;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  endedAt = 0;

  private constructor(
    trace: Trace,
    isRoot: boolean,
    parent: Span | RemoteParent | undefined,
    operation: Operation,
    startedAt: number,
  ) {
    this.#trace = trace;
    this.#isRoot = isRoot;
    this.#parent = parent;
    this.#operation = operation;
    this.startedAt = startedAt;
  }

  /** Begins the part of a trace that belongs to a request. When this span ends, all of it is exported or dropped. */
  static startRoot(sink: SpanSink, options: RootOptions): Span {
    const { parent, operation, startedAt } = options;
    return new Span(new Trace(sink, options), true, parent, operation, startedAt);
  }

  startChild(operation: Operation): Span {
    return new Span(this.#trace, false, this, operation, performance.now());
  }

  /**
   * Begins the span of a forwarded request. If `needsTraceparent` is false, the upstream derives trace and span from the
   * request id.
   */
  startForwarding(operation: Operation): Span {
    const span = this.startChild(operation);
    if (!this.needsTraceparent) this.#trace.forwarding = span;
    return span;
  }

  /** Whether the request id is not sufficient, because the request is sampled or continues the trace of its client. */
  get needsTraceparent(): boolean {
    return this.#trace.isSampled || this.#trace.parent !== undefined;
  }

  /** Ends the span; only the first call counts. @param errorType makes it an error */
  end(attributes: Attributes = nothing, errorType?: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.endedAt = performance.now();
    this.attributes = attributes;
    this.errorType = errorType;
    if (this.#isRoot) this.#trace.end(this);
    else this.#trace.add(this);
  }

  /** Sets the operation, for requests whose operation is only known at their end. */
  rename(operation: Operation): void {
    this.#operation = operation;
  }

  get operation(): Operation {
    return this.#operation;
  }

  get traceId(): string {
    return this.#trace.id;
  }

  get tracestate(): string {
    return this.#trace.parent?.tracestate ?? '';
  }

  get isSampled(): boolean {
    return this.#trace.isSampled;
  }

  get id(): string {
    this.#id ??= this.#trace.forwarding === this ? spanIdOf(this.traceId) : newSpanId();
    return this.#id;
  }

  /** Empty for a span that begins a trace. */
  get parentId(): string {
    const parent = this.#parent;
    if (parent === undefined) return '';
    return parent instanceof Span ? parent.id : parent.spanId;
  }

  /** For requests and calls that belong to this span. */
  get traceparent(): string {
    return formatTraceparent(this.#trace.id, this.id, this.#trace.isSampled);
  }

  /** For log lines; undefined where the trace is not exported, as far as that is known. */
  get loggedTraceId(): string | undefined {
    return this.#trace.isSampled || this.errorType !== undefined ? this.#trace.id : undefined;
  }
}
