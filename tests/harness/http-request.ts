import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { rememberRequest } from './last-request.ts';

export interface RequestOptions {
  /** Key string: sent as `Authorization: Bearer …`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text or bytes go as they are; everything else as JSON. */
  readonly body?: unknown;
  /** Loopback address, 127.0.0.1 where absent. */
  readonly host?: string;
  /** Milliseconds, 60,000 where absent. */
  readonly timeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The body as JSON. @throws when it is none */
  json(): unknown;
}

const agent = new Agent({ keepAlive: true, timeout: 4_000 });

/** One HTTP request to the loopback address. @throws when no response comes in time */
export function request(
  port: number,
  method: string,
  path: string,
  { key, headers = {}, body, host = '127.0.0.1', timeoutMs = 60_000 }: RequestOptions = {},
): Promise<HttpResponse> {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const payload = raw ? body : JSON.stringify(body);
  const length = payload === undefined ? {} : { 'Content-Length': Buffer.byteLength(payload) };
  const sent = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(!raw && { 'Content-Type': 'application/json' }),
    ...length,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = httpRequest({ agent, host, port, method, path, headers: sent, signal });
    outgoing.on('error', reject);
    outgoing.on('response', async (res) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of res) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString('utf8');
        const response = {
          status: res.statusCode ?? 0,
          headers: res.headers,
          rawHeaders: res.rawHeaders,
          text,
          json: () => JSON.parse(text),
        };
        rememberRequest(method, path, response);
        resolve(response);
      } catch (error) {
        reject(error);
      }
    });
    outgoing.end(payload);
  });
}
