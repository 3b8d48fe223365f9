import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';

/** The lowest that a system hands to outgoing connections, by default. */
const firstOutgoing = 32_768;

describe('a free port', () => {
  test('cannot be taken by an outgoing connection meanwhile, and is given once', async () => {
    const ports = await Promise.all(Array.from({ length: 500 }, freePort));
    expect(new Set(ports).size).toBe(500);
    expect(Math.max(...ports)).toBeLessThan(firstOutgoing);
  });

  test('is not given to two processes', async () => {
    // Each of the two takes so many that they would meet, and leaves enough for test files that run beside.
    const own = await Promise.all(Array.from({ length: 500 }, freePort));
    const source = `import { freePort } from ${JSON.stringify(new URL('free-port.ts', import.meta.url).href)};
      const ports = [];
      for (let n = 0; n < 4_000; n++) ports.push(await freePort());
      console.log(JSON.stringify(ports));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
      encoding: 'utf8',
    });
    const others = new Set<number>(JSON.parse(stdout));
    expect(others.size).toBe(4_000);
    expect(own.filter((port) => others.has(port))).toEqual([]);
  });

  test('can be listened on', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    expect(server.address()).toMatchObject({ address: '127.0.0.1', port });
    server.close();
  });
});
