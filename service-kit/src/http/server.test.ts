import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { drainHttpServer, startHttpServer } from './server.ts';

/** Resolves to the status line, or the code of the error. */
const requestOn = (port: number) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    socket.once('data', (data) => resolve(data.toString().split('\r\n', 1)[0] ?? ''));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });

/** A server that listens, and the listener of its requests. */
const start = () =>
  startHttpServer((req, res) => void req.resume().once('end', () => res.end('ok')), {
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
  });

test.each([
  ['of Node', false],
  ['of the service', true],
])('while draining, a response after 100 Continue %s ends its connection, too', async (_, byService) => {
  const { server, port } = await start();
  if (byService) {
    server.on('checkContinue', (req, res) => {
      res.writeContinue();
      req.resume().once('end', () => res.end('ok'));
    });
  }
  const socket = connect({ port, host: '127.0.0.1' });
  await once(server, 'connection');
  const drained = drainHttpServer(server);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
  expect(String(await once(socket, 'data'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{}');
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/);
  await drained;
});

test('draining serves connections that the kernel has not handed over', async () => {
  const { server, port } = await startHttpServer((_req, res) => res.end('ok'), {
    host: '127.0.0.1',
    port: 0,
    tls: { kind: 'plain' },
  });
  const statuses = Array.from({ length: 30 }, () => requestOn(port));
  // The connects have been made, and this process has accepted none of them.
  await new Promise((resolve) => process.nextTick(resolve));
  const drained = drainHttpServer(server);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set(['HTTP/1.1 200 OK']));
  await drained;
});
