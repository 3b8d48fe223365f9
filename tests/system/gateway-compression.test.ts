import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { running } from '../harness/running.ts';
import { scriptedUpstream } from '../harness/scripted-upstream.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

const upstream = running(scriptedUpstream);
const platform = running(() => sharedBehind({ upstreams: [upstream.origin] }));
let key: string;
beforeAll(async () => {
  key = (await platform.createKey()).keyString;
});
afterEach(() => upstream.reset());

/** The response as it comes over the wire. */
async function ask(acceptEncoding: string, method = 'GET'): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': acceptEncoding };
  const port = platform.gatewayPorts[0];
  const sent = httpRequest({ host: '127.0.0.1', port, method, path: '/v2/order', headers, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  return response;
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const json = JSON.stringify({ orders: Array.from({ length: 100 }, (_, id) => ({ id, name: 'ä chair' })) });

function respond(body: string, headers: Record<string, string> = {}) {
  const length = String(Buffer.byteLength(body));
  upstream.behave((_req, res) => {
    res.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': length,
      ETag: '"v1"',
      ...headers,
    });
    res.end(body);
  });
}

describe('a response of more than a kilobyte', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed where it is asked for: %s', async (encoding, decompress) => {
    respond(json);
    const response = await ask(encoding);
    const bytes = await bytesOf(response);
    expect(response.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(bytes.length),
      etag: 'W/"v1"',
      vary: 'Accept-Encoding',
    });
    expect(bytes.length).toBeLessThan(json.length / 4);
    expect(decompress(bytes).toString()).toBe(json);
  });

  test('is not compressed unless requested, and has Vary', async () => {
    respond(json, { Vary: 'Authorization' });
    const response = await ask('identity');
    expect((await bytesOf(response)).toString()).toBe(json);
    expect(response.headers).toMatchObject({ etag: '"v1"', vary: 'Authorization, Accept-Encoding' });
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  test('has the headers of GET without a length for HEAD', async () => {
    respond(json);
    const { headers } = await ask('gzip', 'HEAD');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', etag: 'W/"v1"' });
    expect(headers).not.toHaveProperty('content-length');
  });
});

test('a short response, and one that is already compressed, are not compressed', async () => {
  respond('{"id":1}');
  expect((await ask('br, gzip')).headers).not.toHaveProperty('content-encoding');
  respond('x'.repeat(5_000), { 'Content-Encoding': 'zstd' });
  expect((await ask('br, gzip')).headers['content-encoding']).toBe('zstd');
});

test.each([
  ['br', createBrotliDecompress],
  ['gzip', createGunzip],
] as const)('a stream is compressed without delay: %s', async (encoding, decompressor) => {
  const arrival = upstream.next();
  const asked = ask(encoding);
  const { res } = await arrival;
  res.writeHead(200, { 'Content-Type': 'text/plain' });
  res.flushHeaders();
  const response = await asked;
  const plain = response.pipe(decompressor());
  for (const part of ['first', 'second']) {
    res.write(part);
    const [received] = await once(plain, 'data');
    expect(String(received)).toBe(part);
  }
  const rest = textOf(plain);
  const large = randomBytes(3_000_000).toString('base64');
  res.end(large);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(digest(await rest)).toBe(digest(large));
});

test('a compressed stream that the upstream aborts is cut, and never looks complete', async () => {
  const arrival = upstream.next();
  const asked = ask('gzip');
  const { res } = await arrival;
  res.writeHead(200, { 'Content-Type': 'text/plain' });
  res.write('x'.repeat(100_000));
  const response = await asked;
  await once(response, 'data');
  res.destroy();
  await expect(bytesOf(response)).rejects.toThrow('aborted');
  upstream.reset();
  expect((await ask('gzip')).statusCode).toBe(200);
});
