import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '../harness/http-request.ts';
import { type NpmStart, npmStart } from '../harness/npm-start.ts';
import { runDirectory } from '../harness/run-directory.ts';

const folder = 'examples/own-api';

describe('npm start with a service of a developer', () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  let start: NpmStart;
  let port: number;
  let keys: { readonly secretKey: string; readonly restrictedKey: string };
  beforeAll(async () => {
    start = await npmStart(directory, {}, 'start', '.', ['--with', folder]);
    await start.untilReady();
    const demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
    port = Number(new URL(demo.baseUrl).port);
    keys = demo;
  });
  afterAll(async () => {
    start.ctrlC();
    await start.exited;
  });

  const send = (method: string, path: string, key?: string, body?: object) =>
    request(port, method, path, {
      headers: { Connection: 'close' },
      ...(key && { key }),
      ...(body && { body }),
    });

  test('forwards what its document describes, for each business apart', async () => {
    const made = await send('POST', '/v2/invoices', keys.secretKey, { customer: 'Ada', total: 900 });
    expect([made.status, made.headers['x-ratelimit-remaining']]).toEqual([201, expect.any(String)]);
    const path = String(made.headers.location);
    expect((await send('GET', path, keys.secretKey)).json()).toMatchObject({ customer: 'Ada', total: 900 });
    expect((await send('GET', '/v2/invoices', keys.secretKey)).json()).toHaveLength(1);
    expect((await send('GET', '/v2/invoices/inv_0', keys.secretKey)).status).toBe(404);
  });

  test('refuses before its service what has no credential or not the scope', async () => {
    expect((await send('GET', '/v2/invoices')).status).toBe(401);
    const refused = await send('GET', '/v2/invoices', keys.restrictedKey);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('scope="invoices:read"'),
    ]);
  });

  test('its service refuses what did not come through the gateway', async () => {
    const headers = { 'x-passport': 'e30.e30.e30', Connection: 'close' };
    for (const sent of [headers, { Connection: 'close' }])
      expect((await request(4600, 'GET', '/v2/invoices', { headers: sent })).status).toBe(401);
  });

  test('is in the documentation', async () => {
    expect((await send('GET', '/docs/reference')).text).toContain('id="/Invoices/createInvoice"');
    expect((await send('GET', '/docs/openapi.yaml')).text).not.toContain(':4600');
  });

  test('ends with its service, and prints the error', async () => {
    expect(start.parts()).toContain(folder);
    start.signalPart(folder, 'SIGKILL');
    await start.untilPrinted(`${folder} ended unexpectedly`);
    await start.exited;
    expect(start.parts()).toEqual([]);
  });
});

test('npm start names what is wrong with a document', async () => {
  const directory = join(runDirectory().newDirectory('local'), '.local');
  const start = await npmStart(directory, {}, 'start', '.', ['--with', 'examples']);
  await start.untilPrinted('--with examples: there is no examples/main.ts');
  expect((await start.exited).code).toBe(1);
});
