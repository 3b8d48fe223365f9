import type { IncomingMessage } from 'node:http';
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
