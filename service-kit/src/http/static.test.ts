import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { immutable, respondWithFile, staticFile } from './static.ts';

const content = Buffer.from('body { margin: 0 }\n'.repeat(50));

const requestOf = (accepted: readonly string[], ifNoneMatch?: string) => ({
  headers: { 'if-none-match': ifNoneMatch },
  acceptsEncodings: (encoding: string) => (accepted.includes(encoding) ? encoding : false),
});

const style = staticFile({ name: 'a/style.css', content });

test.each([
  [['gzip', 'br'], 'br', brotliDecompressSync],
  [['gzip'], 'gzip', gunzipSync],
  [['deflate'], undefined, (body: Buffer) => body],
])('a client that accepts %j gets %s', async (accepted, encoding, decode) => {
  const { status, headers, body } = await respondWithFile(style, requestOf(accepted));
  expect([status, headers['Content-Encoding'], headers.Vary]).toEqual([200, encoding, 'Accept-Encoding']);
  expect(headers['Content-Length']).toBe(String(body.length));
  expect(decode(body)).toEqual(content);
});

test('content is compressed at most once, and not at all if it was compressed in advance', async () => {
  expect(await style.encode('br')).toBe(await style.encode('br'));
  const given = gzipSync('in advance');
  const file = staticFile({ name: 'a.js', content, encoded: { gzip: given } });
  expect((await respondWithFile(file, requestOf(['gzip']))).body).toBe(given);
});

test('a client that has the content gets 304 with the headers that caches need', async () => {
  const etag = style.headers.ETag ?? '';
  expect(etag).toMatch(/^W\/"[0-9a-f]{16}"$/);
  for (const sent of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const { status, headers, body } = await respondWithFile(style, requestOf(['br'], sent));
    expect([sent, status, body.length]).toEqual([sent, 304, 0]);
    expect(headers).toEqual({ ETag: etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' });
  }
  expect((await respondWithFile(style, requestOf([], '"other"'))).status).toBe(200);
});

test('a changed file has another ETag', () => {
  const changed = staticFile({ name: 'style.css', content: Buffer.from('') });
  expect(changed.headers.ETag).not.toBe(style.headers.ETag);
});

test('headers of a file replace the defaults, and a file of an unknown type is refused at startup', () => {
  const file = staticFile({ name: 'x.svg', content, headers: immutable });
  expect(file.headers['Cache-Control']).toBe('public, max-age=31536000, immutable');
  expect(() => staticFile({ name: 'x.exe', content })).toThrow('x.exe');
});
