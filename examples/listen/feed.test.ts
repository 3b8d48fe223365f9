import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { readNewEvents } from './feed.ts';

const page = (...data: readonly object[]) => JSON.stringify({ data, next_cursor: 'c' });
const event = { id: 'evt_1', type: 'order.paid', sequence: 1 };

/** Sends the head and the beginning of a response, and no more. */
const cutOff = (status: number) => (res: ServerResponse) => {
  res.writeHead(status, { 'Content-Length': 100 });
  res.write('{"data":[', () => res.destroy());
};
const whole = (body: string) => (res: ServerResponse) => res.end(body);

test.each([
  [200, 'cannot be reached'],
  [503, 'responded with 503'],
])('a response with %i that is cut off is asked for again', async (status, why) => {
  const responses = [cutOff(status), whole(page()), whole(page(event))];
  const server = createServer((_, res) => responses.shift()?.(res)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: string[] = [];
  const { signal } = new AbortController();
  const options = { origin, key: 'sk_1', types: [], tell: (line: string) => lines.push(line), signal };
  try {
    expect(await readNewEvents(options).next()).toEqual({ done: false, value: event });
    expect(lines).toEqual([`${origin} ${why}. Next try in 1 s.`]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
