import { expect, test } from '@jest/globals';
import { requestedScopes } from './requested-scopes.ts';

const offered = ['business:read', 'orders:read'] as const;

test.each([
  ['nothing: everything on offer', undefined, ['business:read', 'orders:read']],
  ['one', 'orders:read', ['orders:read']],
  ['all, in another order', 'orders:read business:read', ['business:read', 'orders:read']],
  ['one twice', 'orders:read orders:read', ['orders:read']],
  ['one between blanks', ' orders:read ', ['orders:read']],
])('asking for %s', (_, scope, expected) => {
  expect(requestedScopes(scope, offered)).toEqual(expected);
});

test.each([
  'orders:write',
  'orders:read orders:write',
  'unknown',
  ' ',
  'orders:read,business:read',
  'ORDERS:READ',
])('asking for %j is refused', (scope) => {
  expect(() => requestedScopes(scope, offered)).toThrow(expect.objectContaining({ code: 'invalid_scope' }));
});
