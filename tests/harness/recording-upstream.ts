import { createServer, type IncomingMessage } from 'node:http';

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

export interface RecordingUpstream {
  readonly port: number;
  readonly origin: string;
  /** What arrived so far, in the order in which it ended. */
  readonly requests: readonly RecordedRequest[];
  clear(): void;
  close(): Promise<void>;
}

/** An upstream that answers 200 `{"ok":true}` and `X-Target: <target>` to everything and remembers what it was asked. */
export async function recordingUpstream(): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (req, res) => {
    const recorded = await record(req);
    requests.push(recorded);
    if (!recorded.complete) return;
    res.writeHead(200, { 'Content-Type': 'application/json', 'X-Target': recorded.target });
    res.end(JSON.stringify({ ok: true }));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    clear: () => void requests.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
