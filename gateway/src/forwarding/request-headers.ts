import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '@platform/service-kit/telemetry/span.ts';
import { hopByHop } from '../edge/hop-by-hop.ts';

/** Names listed in a Connection header, in lower case: these headers are for the gateway alone (RFC 9110 section 7.6.1). */
function namedByConnection(connection: string | undefined): readonly string[] {
  if (connection === undefined) return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
}

/** Values that the gateway sets. */
interface ForwardingContext {
  readonly requestId: string;
  readonly clientIp: string;
  readonly protocol: string;
  readonly prefix: string;
  readonly host: string;
  /** Headers that authenticate the gateway to the upstream. */
  readonly authHeaders: Readonly<Record<string, string>>;
  /** Whether the upstream reads the client's own credentials: only identity-service does. */
  readonly forwardsCredentials: boolean;
  /** Length of a buffered body; undefined for a streamed one. */
  readonly bodyLength: number | undefined;
  /** Of the upstream request; absent where it is not traced. */
  readonly span?: Span | undefined;
}

const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** Dropped headers of the client: framing, and names that upstreams trust. */
const strippedHeaders: ReadonlySet<string> = new Set([
  'expect',
  'forwarded',
  'host',
  'traceparent',
  'tracestate',
  'via',
  'x-client-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-passport',
  'x-real-ip',
  'x-request-id',
  'x-rewrite-url',
  'x-scopes',
  'true-client-ip',
]);

/** `isStripped` checks the first letter, x or c, before it compares prefixes. */
const strippedPrefixes = ['x-forwarded', 'x-internal-', 'x-gateway-', 'x-business-', 'cf-'];

/** Whether a header of the client never reaches an upstream. Many read `_` in a name as `-`. @param received in lower case */
export function isStripped(received: string): boolean {
  const name = received.includes('_') ? received.replaceAll('_', '-') : received;
  if (hopByHop.has(name) || strippedHeaders.has(name)) return true;
  const first = name.charCodeAt(0);
  return (first === 120 || first === 99) && strippedPrefixes.some((prefix) => name.startsWith(prefix));
}

/** A header of the client as an upstream gets it; undefined for one that Connection names. @param name in lower case */
export function forwardedHeader<Name extends keyof IncomingHttpHeaders>(
  headers: IncomingHttpHeaders,
  name: Name,
): IncomingHttpHeaders[Name] {
  return namedByConnection(headers.connection).includes(String(name)) ? undefined : headers[name];
}

/** Framing of the body, even if Connection names the header: without framing, the body would end after its buffered part. */
function framingOf(received: IncomingHttpHeaders, bodyLength: number | undefined): IncomingHttpHeaders {
  if (bodyLength !== undefined) return { 'content-length': String(bodyLength) };
  if (received['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const length = received['content-length'];
  return length === undefined ? {} : { 'content-length': length };
}

/** Headers of the upstream request: those of the client that may pass, and the gateway's. */
export function upstreamRequestHeaders(
  received: IncomingHttpHeaders,
  context: ForwardingContext,
): IncomingHttpHeaders {
  const named = namedByConnection(received.connection);
  const sent: IncomingHttpHeaders = { host: context.host };
  for (const name in received) {
    if (isStripped(name) || named.includes(name)) continue;
    if (credentials.has(name) && !context.forwardsCredentials) continue;
    sent[name] = received[name];
  }
  Object.assign(sent, framingOf(received, context.bodyLength));
  sent['x-request-id'] = context.requestId;
  sent['x-forwarded-for'] = context.clientIp;
  sent['x-forwarded-proto'] = context.protocol;
  sent['x-forwarded-host'] = received.host;
  sent['x-forwarded-prefix'] = context.prefix;
  const { span } = context;
  if (span?.needsTraceparent === true) {
    sent.traceparent = span.traceparent;
    if (span.tracestate !== '') sent.tracestate = span.tracestate;
  }
  return Object.assign(sent, context.authHeaders);
}
