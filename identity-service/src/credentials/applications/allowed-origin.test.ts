import { describe, expect, test } from '@jest/globals';
import { checkAllowedOrigins } from './allowed-origin.ts';

const refusal = expect.objectContaining({ kind: 'invalid_argument', reason: 'invalid_allowed_origin' });

describe('an origin may be allowed', () => {
  test.each([
    'https://app.example',
    'https://app.example:8443',
    'https://xn--bcher-kva.example',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    'https://localhost:3000',
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1:5173',
    'http://[::1]:3000',
  ])('%s', (origin) => {
    expect(checkAllowedOrigins([origin])).toEqual([origin]);
  });

  test('an empty list of origins is allowed, and is the default', () => {
    expect(checkAllowedOrigins([])).toEqual([]);
  });
});

describe('an origin is refused', () => {
  test.each([
    ['null, which any sandboxed page is', 'null'],
    ['an asterisk', '*'],
    ['a wildcard host', 'https://*.app.example'],
    ['a wildcard port', 'http://localhost:*'],
    ['http off loopback', 'http://app.example'],
    ['http on an address that only looks like loopback', 'http://localhost.evil.example'],
    ['http on another address of this machine', 'http://127.0.0.2'],
    ['a slash at the end', 'https://app.example/'],
    ['a path', 'https://app.example/tool'],
    ['a query', 'https://app.example?x'],
    ['a fragment', 'https://app.example#x'],
    ['a user name', 'https://user@app.example'],
    ['a default port', 'https://app.example:443'],
    ['a default port of loopback', 'http://localhost:80'],
    ['upper case', 'https://APP.example'],
    ['upper case in the scheme', 'HTTPS://app.example'],
    ['a name that is not encoded', 'https://bücher.example'],
    ['a blank before it', ' https://app.example'],
    ['a line end behind it', 'https://app.example\n'],
    ['two in one', 'https://a.example https://b.example'],
    ['a host alone', 'app.example'],
    ['no scheme', '//app.example'],
    ['nothing', ''],
    ['file', 'file://'],
    ['an extension of a browser', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
    ['a blob', 'blob:https://app.example'],
    ['a number for loopback', 'http://2130706433'],
    ['more than 150 characters', `https://${'a.'.repeat(80)}example`],
  ])('%s', (_, origin) => {
    expect(() => checkAllowedOrigins([origin])).toThrow(refusal);
  });

  test('more than ten origins or a repeated origin', () => {
    const origins = (count: number) => Array.from({ length: count }, (_, n) => `https://app-${n}.example`);
    expect(checkAllowedOrigins(origins(10))).toHaveLength(10);
    for (const list of [origins(11), [...origins(1), ...origins(1)]]) {
      expect(() => checkAllowedOrigins(list)).toThrow(refusal);
    }
  });
});
