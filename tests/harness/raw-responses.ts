import type { HttpResponse } from './http-request.ts';

/** One response, with every header line as it was sent. */
export interface ComparableResponse {
  readonly status: number;
  /** By the name as it was sent. A header that was sent more than once has its values joined by ` AND `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers that Node adds to every response; they say nothing about the request. */
const routine = new Set(['date', 'connection', 'keep-alive']);

/** Statuses whose responses end with their head (RFC 9112 section 6.3). */
const bodiless = new Set([204, 304]);

/** A response without Date, Connection and Keep-Alive, to be compared whole. */
export function comparableResponse({ status, rawHeaders, text }: HttpResponse): ComparableResponse {
  const pairs = rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
  );
  return { status, headers: collect(pairs), text };
}

/** The responses received on a raw connection: bodies by their Content-Length, chunks as they are. */
export function parseResponses(received: string): ComparableResponse[] {
  const responses: ComparableResponse[] = [];
  let rest = received;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const pairs = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const length = pairs.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    const status = Number(statusLine.split(' ')[1]);
    const bodyEnd =
      length === undefined && !bodiless.has(status) ? rest.length : end + 4 + Number(length ?? 0);
    responses.push({
      status,
      headers: collect(pairs),
      text: rest.slice(end + 4, bodyEnd),
    });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}

function collect(pairs: readonly [string, string][]): Record<string, string> {
  const headers: Record<string, string> = {};
  const nameOf = new Map<string, string>();
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    if (routine.has(lower)) continue;
    const known = nameOf.get(lower);
    if (known === undefined) {
      nameOf.set(lower, name);
      headers[name] = value;
    } else {
      headers[known] += ` AND ${value}`;
    }
  }
  return headers;
}
