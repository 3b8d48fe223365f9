import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiScopes } from '../../../testing/api-scopes.ts';
import { choosableScopes } from '../../platform/scope.ts';
import { checkName } from '../../platform/text.ts';
import { grantedScopes } from './api-key.ts';
import {
  checkDescription,
  checkScopes,
  checkSettings,
  type RequestedSettings,
  settingOfError,
} from './settings.ts';

const choosable = choosableScopes(apiScopes);

const invalidArgument = (reason: string) => expect.objectContaining({ kind: 'invalid_argument', reason });

test.each(['a', 'Warehouse sync', 'ключ 🔑', 'x'.repeat(100), '🔑'.repeat(100)])('%p is a name', (name) => {
  expect(checkName(name)).toBe(name);
});

test('a name is trimmed', () => {
  expect(checkName('  Warehouse ')).toBe('Warehouse');
});

test.each(['', '   ', 'x'.repeat(101), 'two\nlines', 'nul\0'])('%p is not a name', (name) => {
  expect(() => checkName(name)).toThrow(expect.objectContaining({ reason: 'invalid_name' }));
});

test('a description can be empty, multi-line and 500 characters long', () => {
  expect(checkDescription('')).toBe('');
  expect(checkDescription('one\ntwo')).toBe('one\ntwo');
  expect(checkDescription('é'.repeat(500))).toHaveLength(500);
});

test.each(['x'.repeat(501), 'nul\0'])('%p is not a description', (description) => {
  expect(() => checkDescription(description)).toThrow(
    expect.objectContaining({ reason: 'invalid_description' }),
  );
});

test('a secret key takes no scopes and has all of them', () => {
  expect(checkScopes(choosable, 'secret', [])).toEqual([]);
  expect(() => checkScopes(choosable, 'secret', ['orders:read'])).toThrow(
    invalidArgument('scopes_not_allowed'),
  );
  expect(grantedScopes(apiScopes, { keyType: 'secret', scopes: [] })).toEqual([...apiScopes.keys()]);
});

test('a restricted key needs at least one scope', () => {
  expect(() => checkScopes(choosable, 'restricted', [])).toThrow(invalidArgument('scopes_required'));
});

test('a restricted key takes any set of known scopes, sorted, and has no others', () => {
  const someScopes = fc.shuffledSubarray([...apiScopes.keys()], { minLength: 1 });
  fc.assert(
    fc.property(someScopes, (given) => {
      const scopes = checkScopes(choosable, 'restricted', given);
      expect(scopes).toEqual([...given].sort());
      expect(grantedScopes(apiScopes, { keyType: 'restricted', scopes })).toEqual(scopes);
    }),
  );
});

test.each(['orders', 'orders:*', '*', 'ORDERS:READ', 'orders:read ', '', 'constructor'])(
  '%p is an unknown scope',
  (scope) => {
    expect(() => checkScopes(choosable, 'restricted', ['orders:read', scope])).toThrow(
      invalidArgument('unknown_scope'),
    );
  },
);

test('a scope given twice is refused', () => {
  expect(() => checkScopes(choosable, 'restricted', ['orders:read', 'orders:read'])).toThrow(
    invalidArgument('duplicate_scope'),
  );
});

test.each<[string, 'secret' | 'restricted', Partial<RequestedSettings>]>([
  ['name', 'restricted', { name: ' ' }],
  ['description', 'restricted', { description: 'd'.repeat(501) }],
  ['scopes', 'restricted', { scopes: [] }],
  ['scopes', 'restricted', { scopes: ['orders:read', 'orders:read'] }],
  ['scopes', 'restricted', { scopes: ['orders:lose'] }],
  ['scopes', 'secret', {}],
  ['ipWhitelist', 'restricted', { ipWhitelist: ['203.0.113.7', '203.0.113.300'] }],
])('the reason of a refusal belongs to the setting %s: a %s key with %j', (setting, type, change) => {
  const settings = { name: 'Shop', description: '', scopes: ['orders:read'] };
  const settingOf: Readonly<Record<string, string>> = settingOfError;
  try {
    checkSettings(choosable, type, { ...settings, ...change });
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid_argument' });
    expect(settingOf[Object(error).reason]).toBe(setting);
  }
  expect.assertions(2);
});
