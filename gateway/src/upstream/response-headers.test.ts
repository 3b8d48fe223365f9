import { expect, test } from '@jest/globals';
import { clientResponseHeaders } from './response-headers.ts';

const own = { 'X-Request-Id': 'ours', 'X-RateLimit-Remaining': '7' };

test('the upstream cannot speak for the gateway, and what the gateway says is said once', () => {
  const headers = {
    'x-request-id': 'theirs',
    ratelimit: 'theirs',
    'ratelimit-policy': 'theirs',
    'x-ratelimit-limit': 'theirs',
    'x-ratelimit-remaining': 'theirs',
    'x-ratelimit-reset': 'theirs',
  };
  expect(clientResponseHeaders({ headers }, own)).toEqual(own);
});

test('headers of the upstream connection, and those that it names, go no further', () => {
  const headers = {
    connection: 'close, X-Local',
    'x-local': '1',
    'keep-alive': 'timeout=5',
    'x-powered-by': 'x',
  };
  expect(clientResponseHeaders({ headers }, {})).toEqual({});
});

test('everything else passes, several cookies as several', () => {
  const headers = { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'], etag: '"x"' };
  expect(clientResponseHeaders({ headers }, {})).toEqual(headers);
});
