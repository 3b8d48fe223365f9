import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { EdgeRequest, EdgeResponse } from './exchange.ts';
import { type Connection, currentResponseOn, type Handle, inTurn, waitingBytes } from './pipelining.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A client of a server that handles requests in turn. */
async function clientOf(handle: Handle) {
  const classes = { IncomingMessage: EdgeRequest, ServerResponse: EdgeResponse };
  const server = createServer(classes, inTurn(handle)).listen(0, '127.0.0.1');
  closers.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  return client.on('error', () => undefined);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('a pipelined request is handled after the response before it has been sent', async () => {
  const open: EdgeResponse[] = [];
  const handled: (string | undefined)[] = [];
  const client = await clientOf((req, res) => {
    handled.push(req.url);
    open.push(res);
  });
  client.write(get('/first') + get('/second') + get('/third'));
  for (let turn = 1; turn <= 3; turn++) {
    while (open.length === 0) await new Promise(setImmediate);
    expect(handled).toHaveLength(turn);
    open.shift()?.end(String(turn));
  }
  expect(handled).toEqual(['/first', '/second', '/third']);
});

test('no pipelined request is handled after a response that closes the connection', async () => {
  const handled: (string | undefined)[] = [];
  const client = await clientOf((req, res) => {
    handled.push(req.url);
    res.shouldKeepAlive = req.url !== '/second';
    res.end(req.url);
  });
  client.write(get('/first') + get('/second') + get('/third'));
  expect((await text(client)).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(handled).toEqual(['/first', '/second']);
});

test('a response is forgotten when it has ended and another may follow', async () => {
  let connection: Connection | undefined;
  const client = await clientOf((req, res) => {
    connection = req.socket;
    res.once('close', () => req.exchange.end()).end();
  });
  client.write(get('/first'));
  await once(client, 'data');
  expect(connection).toBeDefined();
  expect(connection && currentResponseOn(connection)).toBeUndefined();
});

test('the memory of waiting requests is measured, including their bodies', async () => {
  let connection: Connection | undefined;
  const client = await clientOf((req) => {
    connection = req.socket;
  });
  const body = 'x'.repeat(10_000);
  client.write(get('/first') + get('/second'));
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * body.length}\r\n\r\n${body}`);
  const bytes = () => (connection === undefined ? 0 : waitingBytes(connection));
  while (bytes() < 2 * 8_192 + body.length) await new Promise(setImmediate);
  expect(bytes()).toBe(2 * 8_192 + body.length);
});
