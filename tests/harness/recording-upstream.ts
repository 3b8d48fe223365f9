import type { IncomingMessage } from 'node:http';
import type { Platform } from './platform.ts';
import { rawRequest } from './raw-request.ts';
import { bearerLine, requestBytes } from './request-bytes.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** A request exactly as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as on the request line. */
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** Values of a header, by lower-case name. */
  values(name: string): readonly string[];
  readonly body: Buffer;
  /** Whether the body arrived to its end. */
  readonly complete: boolean;
}

export interface RecordingUpstream extends Upstream {
  /** Requests so far, in the order in which they ended. */
  readonly requests: readonly RecordedRequest[];
  clear(): void;
}

/** An upstream that responds to everything with 200 `{"ok":true}` and `Location: <target>`, and records the requests. */
export async function recordingUpstream(): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = [];
  const upstream = await startUpstream(async (req, res) => {
    const recorded = await record(req);
    requests.push(recorded);
    if (!recorded.complete) return;
    res.writeHead(200, { 'Content-Type': 'application/json', Location: recorded.target });
    res.end(JSON.stringify({ ok: true }));
  });
  return { ...upstream, requests, clear: () => void requests.splice(0) };
}

async function record(req: IncomingMessage): Promise<RecordedRequest> {
  const { rawHeaders } = req;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk);
  } catch {
    // Cut off: what came is the record.
  }
  return {
    method: req.method ?? '',
    target: req.url ?? '',
    httpVersion: req.httpVersion,
    rawHeaders,
    values: (name) =>
      rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name.toLowerCase()),
    body: Buffer.concat(chunks),
    complete: req.complete,
  };
}

/** Sends header lines as they are through the gateway of an index. @returns what the upstream got */
export async function forward(
  { gatewayPorts }: Platform,
  upstream: RecordingUpstream,
  keyString: string,
  lines: readonly string[],
  gateway = 0,
): Promise<RecordedRequest> {
  const bytes = requestBytes('GET', '/v2/order', [bearerLine(keyString), ...lines, 'Connection: close']);
  const { statuses } = await rawRequest(gatewayPorts[gateway] ?? 0, bytes);
  const [recorded, ...more] = upstream.requests;
  if (String(statuses) !== '200' || recorded === undefined || more.length > 0) {
    throw new Error(`Not one request for one response: ${statuses}, ${upstream.requests.length} requests`);
  }
  return recorded;
}
