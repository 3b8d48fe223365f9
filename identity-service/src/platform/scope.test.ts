import { expect, test } from '@jest/globals';
import { apiScopes } from '../../testing/api-scopes.ts';
import { apiScopesOf, choosableScopes, chooseScopes, knownScopes } from './scope.ts';

test('The scopes of the documents keep their texts and their order.', () => {
  const scopes = [
    { name: 'invoices:read', text: 'See your invoices' },
    { name: 'orders:read', text: 'See your orders' },
  ];
  expect([...apiScopesOf({ scopes })]).toEqual([
    ['invoices:read', 'See your invoices'],
    ['orders:read', 'See your orders'],
  ]);
});

test('A scope that no document names is not known, whatever its name.', () => {
  const names = ['orders:read', 'invoices:read', 'constructor', '', 'ORDERS:READ'];
  expect(knownScopes(apiScopes, names)).toEqual(['orders:read']);
});

test('A refusal lists what may be chosen, with what is held already.', () => {
  const choose = (held: readonly string[]) => () =>
    chooseScopes(choosableScopes(apiScopes, held), ['payroll:read'], 'a key');
  const all = 'business:read, events:read, orders:read, orders:write';
  expect(choose([])).toThrow(`scopes must be among ${all}`);
  expect(choose(['orders:read', 'invoices:read'])).toThrow(`scopes must be among ${all}, invoices:read`);
});
