import { expect, test } from '@jest/globals';
import { invalidInputHeader } from '@platform/protos/vocabulary';
import { clientResponseHeaders } from './response.ts';

const own = { 'X-Request-Id': 'ours', 'X-RateLimit-Remaining': '7' };

test('an upstream cannot forge the gateway’s headers', () => {
  const headers = {
    'x-request-id': 'theirs',
    ratelimit: 'theirs',
    'ratelimit-policy': 'theirs',
    'x-ratelimit-limit': 'theirs',
    'x-ratelimit-remaining': 'theirs',
    'x-ratelimit-reset': 'theirs',
  };
  expect(clientResponseHeaders({ headers }, own, false)).toEqual(own);
});

test('hop-by-hop headers and those named by Connection are dropped', () => {
  const headers = {
    connection: 'close, X-Local',
    'x-local': '1',
    'keep-alive': 'timeout=5',
    'x-powered-by': 'x',
  };
  expect(clientResponseHeaders({ headers }, {}, false)).toEqual({});
});

test('listed headers pass, others are dropped', () => {
  const passing = { 'content-type': 'text/plain', etag: '"x"', location: '/v2/order/1', 'retry-after': '1' };
  const headers = { ...passing, server: 'x', via: 'x', 'x-anything': 'x', 'content-foo': 'x' };
  expect(clientResponseHeaders({ headers }, {}, false)).toEqual(passing);
});

test('the header that names the invalid input is not passed on to the client', () => {
  expect(
    clientResponseHeaders({ headers: { [invalidInputHeader]: 'invalid_query limit' } }, {}, false),
  ).toEqual({});
});

test('only identity-service may set cookies, and each keeps its own header', () => {
  const headers = { 'set-cookie': ['a=1', 'b=2'] };
  expect(clientResponseHeaders({ headers }, {}, true)).toEqual(headers);
  expect(clientResponseHeaders({ headers }, {}, false)).toEqual({});
});

test('Vary is merged; CORS headers are the gateway’s only', () => {
  const headers = { vary: 'Authorization, origin', 'access-control-allow-origin': '*' };
  const vary = (own: Record<string, string>) => clientResponseHeaders({ headers }, own, false);
  expect(vary({ Vary: 'Origin' })).toEqual({ Vary: 'Authorization, Origin' });
  expect(vary({})).toEqual({ vary: 'Authorization, origin' });
  expect(clientResponseHeaders({ headers: {} }, { Vary: 'Origin' }, false)).toEqual({ Vary: 'Origin' });
});
