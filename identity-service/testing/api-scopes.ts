import type { ApiScopes } from '../src/platform/scope.ts';

/** Scopes of an API for unit tests. */
export const apiScopes: ApiScopes = new Map([
  ['business:read', 'See your business'],
  ['events:read', 'See what happens'],
  ['orders:read', 'See your orders'],
  ['orders:write', 'Change your orders'],
]);
