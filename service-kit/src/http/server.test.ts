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
