import { describe, expect, test } from '@jest/globals';
import { checkRedirectUris, matchesRedirectUri } from './redirect-uri.ts';

const refusal = expect.objectContaining({ kind: 'invalid_argument', reason: 'invalid_redirect_uri' });

describe('a redirect URI may be registered', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example/',
    'https://app.example?tenant=7',
    'https://app.example:8443/callback?tenant=7',
    'https://app.example/callback?barcode=7&Code=8&provider=code&error_id=9',
    'https://xn--bcher-kva.example/cb',
    'https://app.example/a%20b',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:49152/callback',
    'http://localhost:3000/callback',
    'http://[::1]:3000/callback',
    'https://127.0.0.1/callback',
  ])('%s', (uri) => {
    expect(checkRedirectUris([uri])).toEqual([uri]);
  });
});

describe('a redirect URI is refused', () => {
  test.each([
    ['http off loopback', 'http://app.example/callback'],
    ['http on an address that only looks like loopback', 'http://127.0.0.1.evil.example/callback'],
    ['http on another address of this machine', 'http://127.0.0.2/callback'],
    ['a fragment', 'https://app.example/callback#part'],
    ['an empty fragment', 'https://app.example/callback#'],
    ['a user name', 'https://user@app.example/callback'],
    ['user name and password', 'https://user:password@app.example/callback'],
    ['a wildcard host', 'https://*.app.example/callback'],
    ['a wildcard path', 'https://app.example/*'],
    ['a code of its own', 'https://app.example/callback?code=7'],
    ['a state of its own', 'https://app.example/callback?tenant=7&state'],
    ['an issuer of its own', 'https://app.example/callback?iss=https://evil.example'],
    ['an error of its own', 'https://app.example/callback?error=access_denied'],
    ['an error that is described', 'https://app.example/callback?error_description=x'],
    ['a code that is spelled otherwise', 'https://app.example/callback?c%6fde=7'],
    ['a relative path', '/callback'],
    ['an address without a scheme', '//app.example/callback'],
    ['an empty string', ''],
    ['javascript', 'javascript:alert(1)'],
    ['data', 'data:text/html,hello'],
    ['an application scheme', 'com.example.app:/callback'],
    ['upper case in the host', 'https://APP.example/callback'],
    ['upper case in the scheme', 'HTTPS://app.example/callback'],
    ['dot segments', 'https://app.example/a/../callback'],
    ['encoded dot segments', 'https://app.example/a/%2e%2e/callback'],
    ['a backslash', 'https://app.example\\callback'],
    ['a default port', 'https://app.example:443/callback'],
    ['a blank before it', ' https://app.example/callback'],
    ['a blank inside', 'https://app.example/call back'],
    ['a line end', 'https://app.example/call\nback'],
    ['an international name that is not encoded', 'https://bücher.example/cb'],
    ['a number for loopback', 'http://2130706433/callback'],
    ['more than 1,000 characters', `https://app.example/${'a'.repeat(1_000)}`],
  ])('%s', (_, uri) => {
    expect(() => checkRedirectUris([uri])).toThrow(refusal);
  });

  test('for an empty list, more than ten, or a URI repeated in either form', () => {
    const uris = (count: number) => Array.from({ length: count }, (_, n) => `https://app.example/${n}`);
    expect(checkRedirectUris(uris(10))).toHaveLength(10);
    for (const list of [
      [],
      uris(11),
      [...uris(1), ...uris(1)],
      ['https://a.example/', 'https://a.example'],
      ['http://localhost/', 'http://localhost:80'],
    ]) {
      expect(() => checkRedirectUris(list)).toThrow(refusal);
    }
  });
});

describe('a requested redirect URI', () => {
  const registered = 'https://app.example/callback';
  test.each([
    ['the very same', registered, registered, true],
    ['a slash more', registered, `${registered}/`, false],
    ['a path of a slash for none', 'https://app.example', 'https://app.example/', true],
    ['no path for a slash', 'https://app.example/', 'https://app.example', true],
    ['a path of a slash before a query', 'https://app.example?x=1', 'https://app.example/?x=1', true],
    ['a path of a slash on loopback', 'http://127.0.0.1', 'http://127.0.0.1:49152/', true],
    ['a slash after a query', 'https://app.example?x=1', 'https://app.example?x=1/', false],
    ['two slashes for none', 'https://app.example', 'https://app.example//', false],
    ['a host in another case without a path', 'https://app.example', 'https://APP.example/', false],
    ['a query more', registered, `${registered}?x=1`, false],
    ['another query', `${registered}?x=1`, `${registered}?x=2`, false],
    ['another port', registered, 'https://app.example:8443/callback', false],
    ['the default port', registered, 'https://app.example:443/callback', false],
    ['another scheme', registered, 'http://app.example/callback', false],
    ['another case in the path', registered, 'https://app.example/Callback', false],
    ['another case in the host', registered, 'https://App.example/callback', false],
    ['a longer host', registered, 'https://app.example.evil.example/callback', false],
    ['a user name that looks like the host', registered, 'https://app.example@evil.example/callback', false],
    ['a path that leads away', registered, 'https://app.example/callback/../evil', false],
    ['a fragment more', registered, `${registered}#x`, false],
    ['nothing', registered, '', false],
    ['the default port of loopback', 'http://127.0.0.1/cb', 'http://127.0.0.1:80/cb', true],
    ['none for the default port of loopback', 'http://localhost:80', 'http://localhost/', true],
    ['another loopback port', 'http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback', true],
    ['no port for a registered one', 'http://127.0.0.1:3000/callback', 'http://127.0.0.1/callback', true],
    ['another port of IPv6 loopback', 'http://[::1]:3000/cb', 'http://[::1]:4000/cb', true],
    ['another port of localhost', 'http://localhost/cb', 'http://localhost:4000/cb', true],
    ['localhost for its address', 'http://127.0.0.1/cb', 'http://localhost/cb', false],
    ['another path on loopback', 'http://127.0.0.1/callback', 'http://127.0.0.1:3000/evil', false],
    ['another query on loopback', 'http://127.0.0.1/cb?x=1', 'http://127.0.0.1:3000/cb?x=2', false],
    ['https for http on loopback', 'http://127.0.0.1/callback', 'https://127.0.0.1/callback', false],
    ['another port of https on loopback', 'https://127.0.0.1/cb', 'https://127.0.0.1:4000/cb', false],
    ['a user name on loopback', 'http://127.0.0.1/cb', 'http://x@127.0.0.1:3000/cb', false],
    ['a fragment on loopback', 'http://127.0.0.1/cb', 'http://127.0.0.1:3000/cb#x', false],
    ['loopback for another host', registered, 'http://127.0.0.1:3000/callback', false],
  ])('%s', (_, known, requested, matches) => {
    expect(matchesRedirectUri(known, requested)).toBe(matches);
  });
});
