/*
 * W3C Trace Context: https://www.w3.org/TR/trace-context/. Version 00 is written; of later versions the fields that they
 * share with it are read.
 */

/** A span of another process, as its request names it. */
export interface RemoteParent {
  /** 32 digits, hexadecimal in lower case. */
  readonly traceId: string;
  /** 16 digits, hexadecimal in lower case. */
  readonly spanId: string;
  /** Whether that process records the trace. */
  readonly isSampled: boolean;
  /** Data of other tracing systems, passed on as it came; empty for none. */
  readonly tracestate: string;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Characters of a tracestate that is passed on (section 3.3.1.5 asks for 512 at least). */
const maxStateLength = 512;

const stateShape = /^[\t\x20-\x7e]*$/;

/**
 * Parses `traceparent` and `tracestate`. Undefined for a header that is missing, repeated or not valid: the request begins
 * a trace then. A tracestate that is too long or not printable is dropped.
 */
export function parseTraceparent(header: unknown, state?: unknown): RemoteParent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = shape.exec(header) ?? [];
  const isVersion = version !== undefined && version !== 'ff' && (version !== '00' || rest === undefined);
  if (!isVersion || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, isSampled, tracestate: usableState(state) };
}

function usableState(state: unknown): string {
  const isUsable = typeof state === 'string' && state.length <= maxStateLength && stateShape.test(state);
  return isUsable ? state : '';
}

/** The trace id of a UUID: its digits. */
export function traceIdOf(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);
}

/** The id of the upstream request in a trace that begins at the gateway and is not sampled. */
export function spanIdOf(traceId: string): string {
  return traceId.slice(16);
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * The parent of a request that the gateway sent without a traceparent: its trace begins there and is not sampled. Undefined
 * for a request id that is not a UUID of version 4.
 */
export function parentByRequestId(requestId: string): RemoteParent | undefined {
  if (!uuidShape.test(requestId)) return undefined;
  const traceId = traceIdOf(requestId);
  return { traceId, spanId: spanIdOf(traceId), isSampled: false, tracestate: '' };
}

/** A traceparent of version 00. */
export function formatTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
