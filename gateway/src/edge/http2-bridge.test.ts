import { expect, test } from '@jest/globals';
import { requestHead } from './http2-bridge.ts';

const get = [':method', 'GET', ':scheme', 'https', ':authority', 'api.test', ':path', '/v2/order'];

const post = get.with(1, 'POST');

test('pseudo-headers become the request line and Host', () => {
  expect(requestHead([...get, 'accept', '*/*'], false)).toEqual({
    method: 'GET',
    path: '/v2/order',
    headers: ['accept', '*/*', 'host', 'api.test'],
  });
});

test.each([
  ['an equal Host is dropped', ['host', 'api.test'], ['host', 'api.test']],
  ['another Host stays, to be rejected', ['host', 'b.test'], ['host', 'b.test', 'host', 'api.test']],
  [
    'cookie crumbs are joined',
    ['cookie', 'a=1', 'cookie', 'b=2'],
    ['host', 'api.test', 'cookie', 'a=1; b=2'],
  ],
])('%s', (_, fields, expected) => {
  expect(requestHead([...get, ...fields], false).headers).toEqual(expected);
});

test.each([
  ['no body, for GET', get, false, []],
  ['no body, for POST', post, false, ['content-length', '0']],
  ['a body of unknown length', post, true, ['transfer-encoding', 'chunked']],
  ['a body of known length', [...post, 'content-length', '5'], true, ['content-length', '5']],
])('%s', (_, head, hasBody, expected) => {
  const { headers } = requestHead(head, hasBody);
  expect(headers.filter((name) => name !== 'host' && name !== 'api.test')).toEqual(expected);
});

test.each(['get', 'CONNECT', 'FROBNICATE'])('the method %s is unknown', (method) => {
  expect(requestHead(get.with(1, method), false).method).toBe('UNKNOWN');
});
