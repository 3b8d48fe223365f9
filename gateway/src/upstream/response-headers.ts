import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { hopByHop, namedByConnection } from './hop-by-hop.ts';

/** Headers of the upstream that end here: those of its connection, and what only the gateway may say. */
const ended: ReadonlySet<string> = new Set([
  ...hopByHop,
  'ratelimit',
  'ratelimit-policy',
  'x-powered-by',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]);

/** Headers of the answer: the upstream's, less what ends here, and the gateway's own. */
export function clientResponseHeaders(
  upstream: Pick<IncomingMessage, 'headers'>,
  own: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const received = upstream.headers;
  const named = namedByConnection(received.connection);
  const sent: OutgoingHttpHeaders = {};
  for (const name in received) {
    if (ended.has(name) || named.includes(name)) continue;
    sent[name] = received[name];
  }
  return Object.assign(sent, own);
}
