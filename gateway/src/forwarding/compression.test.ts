import { describe, expect, test } from '@jest/globals';
import { acceptedEncoding, compressedHeaders, isCompressible } from './compression.ts';

describe('Accept-Encoding', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;Q=0.5', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=7', undefined],
    ['x'.repeat(10_000), undefined],
  ])('%j: %s', (accepts, encoding) => {
    expect(acceptedEncoding(accepts)).toBe(encoding);
  });
});

describe('compressible responses', () => {
  const json = { 'content-type': 'application/json; charset=utf-8' };
  test.each([
    ['JSON of a kilobyte', true, { headers: json, length: 1_024 }],
    ['JSON of unknown length', true, { headers: json, length: undefined }],
    ['less', false, { headers: json, length: 1_023 }],
    ['problem details', true, { headers: { 'content-type': 'application/problem+json' }, length: 5_000 }],
    ['an image', false, { headers: { 'content-type': 'image/png' }, length: 5_000 }],
    ['no type', false, { headers: {}, length: 5_000 }],
    ['events', false, { headers: { 'content-type': 'text/event-stream' }, length: undefined }],
    ['already compressed', false, { headers: { ...json, 'content-encoding': 'gzip' }, length: 5_000 }],
    ['no-transform', false, { headers: { ...json, 'cache-control': 'no-transform' }, length: 5_000 }],
  ])('%s: %s', (_, worth, response) => {
    expect(isCompressible({ status: 200, ...response })).toBe(worth);
  });

  test('partial content is not compressible', () => {
    expect(isCompressible({ status: 206, headers: json, length: 5_000 })).toBe(false);
  });
});

test('the compressed response names its encoding, drops its length and weakens its ETag', () => {
  const headers = { 'content-type': 'application/json', 'content-length': '5000', etag: '"x"' };
  expect(compressedHeaders(headers, 'br')).toEqual({
    'content-type': 'application/json',
    'content-encoding': 'br',
    etag: 'W/"x"',
  });
  expect(compressedHeaders({ etag: 'W/"x"' }, 'gzip')).toEqual({ etag: 'W/"x"', 'content-encoding': 'gzip' });
});
