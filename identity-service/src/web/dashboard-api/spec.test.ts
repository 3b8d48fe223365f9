import { expect, test } from '@jest/globals';
import { declare, type Method, neededRole, noBody, none } from './spec.ts';

const operation = { id: 'x', summary: 'X.', query: none, body: noBody, response: noBody } as const;

const of = (method: Method, path: string) => declare({ ...operation, method, path });

test.each([
  ['GET', '/businesses/{businessId}', 'viewer'],
  ['GET', '/businesses/{businessId}/api-keys', 'viewer'],
  ['POST', '/businesses/{businessId}/api-keys', 'developer'],
  ['PUT', '/businesses/{businessId}/x', 'developer'],
  ['PATCH', '/businesses/{businessId}', 'developer'],
  ['DELETE', '/businesses/{businessId}/x/{xId}', 'developer'],
  ['POST', '/businesses', undefined],
  ['DELETE', '/profile', undefined],
] as const)('%s %s needs %s', (method, path, role) => {
  expect(neededRole(of(method, path))).toBe(role);
});

test('an operation can declare another role', () => {
  const path = '/businesses/{businessId}/team/members/{personId}';
  expect(neededRole({ ...of('DELETE', path), role: 'viewer' })).toBe('viewer');
  expect(neededRole({ ...of('GET', path), role: 'owner' })).toBe('owner');
});
