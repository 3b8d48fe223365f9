import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { hopByHop, namedByConnection } from './hop-by-hop.ts';

/** Headers of the answer: the upstream's, less those of its connection, under the gateway's own. */
export function clientResponseHeaders(
  upstream: IncomingMessage,
  own: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const received = upstream.headers;
  const named = namedByConnection(received.connection);
  const sent: OutgoingHttpHeaders = {};
  for (const name in received) {
    if (hopByHop.has(name) || named.includes(name) || name === 'x-powered-by') continue;
    sent[name] = received[name];
  }
  return Object.assign(sent, own);
}
