import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ambiguityOf } from './ambiguity.ts';

function requestOf(method: string, rawHeaders: readonly string[], httpVersion = '1.1'): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2)
    headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1] ?? '';
  return Object.assign(request, { method, rawHeaders: [...rawHeaders], headers, httpVersion });
}

const host = ['Host', 'api.example'];

const fields = (count: number) => Array.from({ length: count }, (_, index) => [`X-${index}`, '']).flat();

const codeOf = (request: IncomingMessage, path = '/v2/order') => ambiguityOf(request, path)?.code;

test.each([
  ['/v2/order', undefined],
  ['/v2/order/ord_1~x', undefined],
  ['/v2/order;a=1', undefined],
  ['/v2/%41', undefined],
  ['/', undefined],
  ['/v2/..order', undefined],
  ['/v2/./order', 400],
  ['/v2/../order', 400],
  ['/v2/order/..', 400],
  ['/v2/%2e%2e/order', 400],
  ['/v2/.%2E/order', 400],
  ['/v2//order', 400],
  ['/v2/order%2fx', 400],
  ['/v2/order%5cx', 400],
  ['/v2\\order', 400],
  ['/v2/order%00', 400],
  ['/v2/order%zz', 400],
  ['/v2/order%', 400],
  ['/v2/order#x', 400],
  ['/v2/örder', 400],
  ['*', 400],
  ['http://api.example/v2/order', 400],
])('the path %p yields %p', (path, code) => {
  expect(codeOf(requestOf('GET', host), path)).toBe(code);
});

test.each([
  ['HTTP/1.0', requestOf('GET', host, '1.0'), 400],
  ['no Host', requestOf('GET', []), 400],
  ['two Hosts', requestOf('GET', [...host, 'HOST', 'other']), 400],
  ['a Host with a path', requestOf('GET', ['Host', 'a/b']), 400],
  ['a Host with user info', requestOf('GET', ['Host', 'u@a']), 400],
  ['an IPv6 Host with port', requestOf('GET', ['Host', '[::1]:80']), undefined],
  ['two Authorizations', requestOf('GET', [...host, 'Authorization', 'a', 'authorization', 'a']), 400],
  ['two Content-Lengths', requestOf('POST', [...host, 'Content-Length', '1', 'Content-Length', '1']), 400],
  ['a signed Content-Length', requestOf('POST', [...host, 'Content-Length', '+1']), 400],
  ['both framings', requestOf('POST', [...host, 'Content-Length', '1', 'Transfer-Encoding', 'chunked']), 400],
  ['an unknown coding', requestOf('POST', [...host, 'Transfer-Encoding', 'gzip, chunked']), 400],
  ['chunked GET', requestOf('GET', [...host, 'Transfer-Encoding', 'chunked']), 411],
  ['POST without a length', requestOf('POST', host), 411],
  ['POST, chunked', requestOf('POST', [...host, 'Transfer-Encoding', 'chunked']), undefined],
  ['POST, empty', requestOf('POST', [...host, 'Content-Length', '0']), undefined],
  ['200 header fields', requestOf('GET', [...host, ...fields(199)]), undefined],
  ['201 header fields', requestOf('GET', [...host, ...fields(200)]), 431],
  ['GET', requestOf('GET', host), undefined],
])('%s', (_name, request, code) => {
  expect(codeOf(request)).toBe(code);
});

test('A fragment behind the query is refused, which an upstream would cut off.', () => {
  const url = '/v2/order?limit=1#&limit=2';
  expect(codeOf(Object.assign(requestOf('GET', host), { url }))).toBe(400);
});
