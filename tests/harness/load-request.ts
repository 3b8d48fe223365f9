import { type Agent, request } from 'node:http';
import type { LoadRecord } from './load-report.ts';

export interface LoadOptions {
  /** HTTP ports, taken in turn. A refused connection goes to the next one, as a load balancer does. */
  readonly ports: readonly number[];
  /** Requests per second over all ports. */
  readonly rate: number;
  /**
   * Requests in flight at most; one that is due beyond them is left out, as a client's pool of connections does. 20 where
   * absent: a busy machine makes the load lighter, not the platform overloaded. Infinite where the backlog is the subject.
   */
  readonly maxInFlight?: number;
  readonly path: string;
  readonly method?: string;
  /** Key string, or how to get the one to use now. */
  readonly key?: string | (() => string);
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds after which a request counts as failed; 30,000 where absent. */
  readonly timeoutMs?: number;
}

/** One request of a load: its options, the shared agent, and which port comes first. */
export interface LoadTarget extends LoadOptions {
  readonly agent: Agent;
  readonly first: number;
}

/** Sends one request; every way it can end is a record, none an exception. */
export async function sendOne(target: LoadTarget): Promise<LoadRecord> {
  const { ports, first } = target;
  const startedAt = performance.now();
  let response: Response = { error: 'no port' };
  let port = 0;
  for (let attempt = 0; attempt < ports.length; attempt++) {
    port = ports[(first + attempt) % ports.length] ?? 0;
    response = await exchange(target, port);
    // Nothing was sent: the next replica may have it.
    if (response.error !== 'ECONNREFUSED') break;
  }
  return { startedAt, endedAt: performance.now(), port, ...response };
}

type Response = Pick<LoadRecord, 'status' | 'error'>;

function exchange(target: LoadTarget, port: number): Promise<Response> {
  const { agent, path, key, body, method = 'GET', timeoutMs = 30_000 } = target;
  const bearer = typeof key === 'function' ? key() : key;
  const headers = {
    ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    ...target.headers,
  };
  return new Promise((resolve) => {
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers });
    const failed = (error: Error) => resolve({ error: 'code' in error ? String(error.code) : error.message });
    const timer = setTimeout(() => outgoing.destroy(new Error(`no response in ${timeoutMs} ms`)), timeoutMs);
    outgoing.on('error', failed).on('close', () => clearTimeout(timer));
    outgoing.on('response', (res) => {
      res.on('error', failed).on('end', () => resolve({ status: res.statusCode ?? 0 }));
      res.resume();
    });
    outgoing.end(body);
  });
}
