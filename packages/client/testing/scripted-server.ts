import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';

/** A request as the server got it. */
export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Handles one request. */
export type Step = (res: ServerResponse, request: SeenRequest) => unknown;

/** Responds with JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (res) =>
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Breaks the connection off after a part of the response. */
export const cutOff: Step = (res) => {
  res.writeHead(200, { 'Content-Length': 100 });
  res.write('{"data":[', () => res.destroy());
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that does one step for each request, and repeats the last. It ends with the test. */
export async function scriptedServer(...steps: readonly [Step, ...Step[]]) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body };
    seen.push(request);
    const step = steps[Math.min(seen.length, steps.length) - 1] ?? steps[0];
    step(res, request);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
