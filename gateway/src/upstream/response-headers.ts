import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Headers of an upstream that reach the client. All others end here, and so does what names them in `Connection`. */
const relayed: ReadonlySet<string> = new Set([
  'accept-patch',
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'deprecation',
  'etag',
  'expires',
  'idempotency-replayed',
  'last-modified',
  'link',
  'location',
  'permissions-policy',
  'pragma',
  'referrer-policy',
  'retry-after',
  'strict-transport-security',
  'sunset',
  'vary',
  'www-authenticate',
  'x-csrf-token',
  'x-frame-options',
]);

/** Headers of the response: those of the upstream that may pass, and the gateway's own. */
export function clientResponseHeaders(
  upstream: Pick<IncomingMessage, 'headers'>,
  own: Readonly<Record<string, string>>,
  maySetCookies: boolean,
): OutgoingHttpHeaders {
  const received = upstream.headers;
  const sent: OutgoingHttpHeaders = {};
  for (const name in received) {
    if (relayed.has(name) || (maySetCookies && name === 'set-cookie')) sent[name] = received[name];
  }
  Object.assign(sent, own);
  if (received.vary === undefined || own.Vary === undefined) return sent;
  const { vary: _theirs, ...rest } = sent;
  return { ...rest, Vary: joinVary(received.vary, own.Vary) };
}

/** Both say what the answer depends on (RFC 9110 section 12.5.5). */
function joinVary(theirs: string, ours: string): string {
  const names = `${theirs},${ours}`.split(',').map((name) => name.trim());
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ');
}
