import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { runDirectory } from '../harness/run-directory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const services = ['business-service', 'identity-service', 'gateway'] as const;

describe('npm run dev', () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  let start: NpmStart;
  beforeAll(async () => {
    start = await npmStart(directory, {}, 'dev');
    await start.untilReady();
  });
  afterAll(async () => {
    start.ctrlC();
    await start.exited;
  });

  const pids = () => Object.fromEntries(start.parts().map((name) => [name, start.pidOf(name)]));
  const touch = (file: string) => utimesSync(join(root, file), new Date(), new Date());
  const orders = async () => {
    const { baseUrl, secretKey } = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
    const options = { key: secretKey, headers: { Connection: 'close' } };
    const { status } = await request(Number(new URL(baseUrl).port), 'GET', '/v2/order', options);
    expect(status).toBe(200);
  };
  /** Its callers connect again within a second or two; attempts count against the key's limit. */
  const ordersAgain = () => expectEventually(orders, { withinMs: 20_000, everyMs: 2_000 });

  test('restarts the service whose file changed, and no other part', async () => {
    const { 'business-service': business, ...others } = pids();
    touch('business-service/src/main.ts');
    await start.untilPrinted('business-service restarted: business-service/src/main.ts');
    const { 'business-service': restarted, ...kept } = pids();
    expect(restarted).toEqual(expect.any(Number));
    expect(restarted).not.toBe(business);
    expect(kept).toEqual(others);
    await ordersAgain();
  });

  test('restarts every service for a shared package, on the same ports', async () => {
    const before = pids();
    touch('service-kit/src/config/config.ts');
    for (const service of services) {
      await start.untilPrinted(`${service} restarted: service-kit/src/config/config.ts`);
    }
    const after = pids();
    for (const service of services) expect(after[service]).not.toBe(before[service]);
    await ordersAgain();
  });

  test('serves the dashboard with hot reload, and everything else from the gateway', async () => {
    const [, address = ''] = /dashboard +(http:\S+)/.exec(start.output().split('Ready in')[1] ?? '') ?? [];
    const { port, pathname } = new URL(address);
    const page = await request(Number(port), 'GET', pathname, { headers: { Connection: 'close' } });
    expect(page.text).toContain('/dashboard/@vite/client');
    const login = await request(Number(port), 'GET', '/login', { headers: { Connection: 'close' } });
    expect(login.text).toContain('action="/login"');
  });
});
