import { describe, expect, test } from '@jest/globals';
import { apiScopes } from '../../../testing/api-scopes.ts';
import { choosableScopes } from '../../platform/scope.ts';
import { findSettingsErrors, previewWhitelist } from './settings.ts';

const choosable = choosableScopes(apiScopes);

const client = (address: string, lastSuccessAt?: number) => ({ address, lastSuccessAt });

describe('a whitelist that is about to be saved', () => {
  test('blocks addresses that succeeded and are not on it, the latest first', () => {
    const callers = [
      client('192.0.2.1', 1_000),
      client('198.51.100.7', 2_000),
      client('2001:db8::1', 4_000),
      client('198.51.100.8', 3_000),
    ];
    const { shutOut } = previewWhitelist(['192.0.2.0/24', '2001:db8::/32'], '192.0.2.9', callers);
    expect(shutOut.map(({ address }) => address)).toEqual(['198.51.100.8', '198.51.100.7']);
  });

  test('ignores addresses that never succeeded', () => {
    expect(previewWhitelist(['192.0.2.1'], '192.0.2.1', [client('203.0.113.1')]).shutOut).toEqual([]);
  });

  test.each([
    [['192.0.2.1'], true],
    [['192.0.2.0/24'], true],
    [[' ::ffff:192.0.2.1 '], true],
    [['192.0.2.2'], false],
    [[], false],
  ])('with the entries %j admits the address of the person: %p', (whitelist, allowed) => {
    expect(previewWhitelist(whitelist, '192.0.2.1', []).allowed).toBe(allowed);
  });

  test('names each invalid entry, and considers the others', () => {
    const { errors, allowed } = previewWhitelist(
      ['shop.example', '192.0.2.1', '10.0.0.0/33'],
      '192.0.2.1',
      [],
    );
    expect(errors).toEqual({
      'ipWhitelist.0': '"shop.example" is not a valid IP address or network',
      'ipWhitelist.2': '"10.0.0.0/33" is not a valid IP address or network',
    });
    expect(allowed).toBe(true);
  });

  test('has one error when it is empty or too long', () => {
    const many = Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`);
    const errorsOf = (whitelist: readonly string[]) => previewWhitelist(whitelist, '192.0.2.1', []).errors;
    expect(errorsOf([])).toEqual({ ipWhitelist: 'an app needs at least one whitelisted IP address' });
    expect(errorsOf(many)).toEqual({ ipWhitelist: 'an IP whitelist has at most 100 entries' });
  });
});

const settings = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback', 'http://127.0.0.1/callback'],
  scopes: ['orders:read'],
  ipWhitelist: ['192.0.2.1'],
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [],
  repeatLostRefresh: false,
};

test('valid settings have no errors', () => {
  expect(findSettingsErrors(choosable, settings)).toEqual({});
});

test('every invalid field is named, and in a list the entry', () => {
  const invalid = {
    name: ' ',
    description: '',
    redirectUris: ['https://shop.example/callback', 'http://shop.example/', 'https://shop.example/*'],
    scopes: [],
    ipWhitelist: ['192.0.2.1', 'localhost'],
    webhooksEnabled: true,
    webhookEvents: ['order.lost'],
    allowedOrigins: ['https://shop.example', '*'],
  };
  expect(findSettingsErrors(choosable, invalid)).toEqual({
    name: 'name must be one line of 1 to 100 characters',
    description: 'description must have 1 to 500 characters',
    'redirectUris.1': 'a redirect URI must use https; http is for loopback addresses only',
    'redirectUris.2': 'a redirect URI must not contain wildcards',
    scopes: 'an application needs at least one scope',
    'ipWhitelist.1': '"localhost" is not a valid IP address or network',
    webhookEvents: expect.stringContaining('must be among'),
    'allowedOrigins.1': 'an allowed origin must not contain wildcards',
  });
});

test.each([
  ['empty', []],
  ['given twice', ['https://shop.example/a', 'https://shop.example/a']],
])('a list that is %s has one error', (_, redirectUris) => {
  expect(Object.keys(findSettingsErrors(choosable, { redirectUris }))).toEqual(['redirectUris']);
});

test('absent settings have no errors', () => {
  expect(findSettingsErrors(choosable, { name: 'Shop' })).toEqual({});
});
