import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context } from './context.ts';
import { credentialPath, readCredentials, removeCredentials, writeCredentials } from './credentials.ts';
import { credentialsOf, originOf, readKey, readOrigin } from './session.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const contextOf = (env: Readonly<Record<string, string>> = {}): Context => ({
  terminal: { stdin: process.stdin, out: () => {}, note: () => {}, columns: undefined, hasColors: false },
  env: { XDG_CONFIG_HOME: home, ...env },
  name: 'business-api',
  version: '1',
  platform: 'https://default.example',
  signal: new AbortController().signal,
});
const store = (profile = 'default') =>
  writeCredentials(credentialPath(contextOf(), profile), { url: 'https://stored.example', key: 'rk_stored' });

describe('the credentials', () => {
  test('are those of the profile', () => {
    store('shop');
    expect(credentialsOf(contextOf(), { profile: 'shop' })).toEqual({
      url: 'https://stored.example',
      key: 'rk_stored',
    });
    expect(() => credentialsOf(contextOf(), { profile: 'default' })).toThrow('Not logged in');
  });

  test('are those of the variables first', () => {
    store();
    const env = { BUSINESS_API_KEY: 'sk_variable', BUSINESS_API_URL: 'https://variable.example' };
    expect(credentialsOf(contextOf(env), { profile: 'default' })).toEqual({
      url: 'https://variable.example',
      key: 'sk_variable',
    });
    const given = { profile: 'default', url: 'https://given.example/path' };
    expect(credentialsOf(contextOf(env), given).url).toBe('https://given.example');
  });

  test('of a variable are never sent where a profile is logged in', () => {
    store();
    const { url } = credentialsOf(contextOf({ BUSINESS_API_KEY: 'sk_variable' }), { profile: 'default' });
    expect(url).toBe('https://default.example');
  });

  test('of a profile are sent to no other platform', () => {
    store();
    for (const env of [{}, { BUSINESS_API_URL: 'https://other.example' }]) {
      const options = {
        profile: 'default',
        ...(!('BUSINESS_API_URL' in env) && { url: 'https://other.example' }),
      };
      expect(() => credentialsOf(contextOf(env), options)).toThrow('is logged in at https://stored.example');
    }
    expect(credentialsOf(contextOf(), { profile: 'default', url: 'https://stored.example/' }).key).toBe(
      'rk_stored',
    );
  });

  test('replace those before in a file of the owner alone', () => {
    const path = credentialPath(contextOf(), 'default');
    for (const key of ['rk_1', 'rk_2']) writeCredentials(path, { url: 'https://a.example', key });
    expect(readCredentials(path)?.key).toBe('rk_2');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    removeCredentials(path);
    removeCredentials(path);
    expect(readCredentials(path)).toBeUndefined();
  });
});

test('without a key, the platform is the given one, that of the profile, or the default', () => {
  expect(originOf(contextOf(), { profile: 'default' })).toBe('https://default.example');
  store();
  expect(originOf(contextOf(), { profile: 'default' })).toBe('https://stored.example');
  expect(originOf(contextOf(), { profile: 'default', url: 'https://given.example' })).toBe(
    'https://given.example',
  );
});

test.each(['http://localhost:8080/x', 'http://127.0.0.1', 'http://[::1]:1', 'https://api.example'])(
  'a key may go to %s',
  (url) => expect(readOrigin(url)).toBe(new URL(url).origin),
);

test.each([
  'http://api.example',
  'http://127.0.0.1.example',
  'http://10.0.0.1',
  'ftp://localhost',
  'localhost',
])('a key may not go to %s', (url) => expect(() => readOrigin(url)).toThrow('--url must'));

test('the error about a wrong key does not repeat it', () => {
  expect(() => readKey('pk_secret', 'This')).toThrow(/^This is no API key: it begins with sk_ or rk_\.$/);
  expect(readKey(' rk_1\n', 'This')).toBe('rk_1');
});
