import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { holdPortForDemoClient } from './demo-client.ts';
import { freePort } from './process/free-port.ts';

const limit = () => ({ signal: AbortSignal.timeout(20_000) });

test('a held port closes what connects to it, and is released', async () => {
  const { port, release } = await holdPortForDemoClient(await freePort());
  const reset = connect(port, '127.0.0.1');
  await once(reset, 'connect', limit());
  reset.resetAndDestroy();
  const open = connect(port, '127.0.0.1').resume();
  await once(open, 'close', limit());
  await release();
  const next = await holdPortForDemoClient(port);
  expect(next.port).toBe(port);
  await next.release();
});
