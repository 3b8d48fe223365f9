import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkIpWhitelist, checkOptionalIpWhitelist, isWhitelisted, opensWhitelist } from './ip-whitelist.ts';

describe('an entry is kept in its one normal form', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['192.0.2.1/32', '192.0.2.1'],
    ['192.0.2.77/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
  ])('%s as %s', (given, kept) => {
    expect(checkIpWhitelist([given])).toEqual([kept]);
  });

  test('equal entries are kept once', () => {
    expect(checkIpWhitelist(['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1/32'])).toEqual(['192.0.2.1']);
  });
});

test.each([
  ['no entry', []],
  ['an empty entry', ['']],
  ['a host name', ['app.example']],
  ['a short address', ['127.1']],
  ['an octal address', ['010.0.0.1']],
  ['a number', ['3221225985']],
  ['a prefix that is too long', ['192.0.2.0/33']],
  ['an IPv6 prefix that is too long', ['2001:db8::/129']],
  ['a prefix that is no number', ['192.0.2.0/x']],
  ['an empty prefix', ['192.0.2.0/']],
  ['a negative prefix', ['192.0.2.0/-1']],
  ['a padded prefix', ['192.0.2.0/024']],
  ['a netmask', ['192.0.2.0/255.255.255.0']],
  ['two prefixes', ['192.0.2.0/24/24']],
  ['a zone', ['fe80::1%eth0']],
  ['a wildcard', ['192.0.2.*']],
  ['one bad entry among good ones', ['192.0.2.1', 'x']],
  ['more than a hundred entries', Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`)],
])('a whitelist with %s is refused', (_, entries) => {
  expect(() => checkIpWhitelist(entries)).toThrow(
    expect.objectContaining({ kind: 'invalid_argument', reason: 'invalid_ip_whitelist' }),
  );
});

test('the whitelist of a key may be empty, and has the same entries as that of an app', () => {
  expect(checkOptionalIpWhitelist([])).toEqual([]);
  expect(checkOptionalIpWhitelist(['192.0.2.77/24'])).toEqual(['192.0.2.0/24']);
  expect(() => checkOptionalIpWhitelist(Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`))).toThrow(
    'at most 100',
  );
});

test.each([
  [[], [], false],
  [[], ['192.0.2.1'], false],
  [['192.0.2.1'], [], true],
  [['192.0.2.1'], ['192.0.2.2'], true],
  [['192.0.2.1', '192.0.2.2'], ['192.0.2.2'], false],
  [['192.0.2.0/24'], ['192.0.2.7', '192.0.2.128/25'], false],
  [['192.0.2.0/24'], ['192.0.2.0/23'], true],
  [['0.0.0.0/0'], ['2001:db8::1'], true],
  [['2001:db8::/32'], ['2001:db8:1::/48'], false],
])('a whitelist %j that becomes %j admits more addresses: %p', (before, after, opens) => {
  expect(opensWhitelist(before, after)).toBe(opens);
});

describe('a caller is admitted by a whitelist', () => {
  test.each([
    [['192.0.2.1'], '192.0.2.1', true],
    [['192.0.2.1'], '192.0.2.2', false],
    [['192.0.2.1'], '::ffff:192.0.2.1', true],
    [['::ffff:192.0.2.1'], '192.0.2.1', true],
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/25'], '192.0.2.128', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::1'], '2001:DB8:0::1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '192.0.2.1', false],
    [['198.51.100.1', '192.0.2.0/24'], '192.0.2.9', true],
    [['192.0.2.1'], '', false],
    [['192.0.2.1'], '192.0.2.1, 203.0.113.1', false],
  ])('%j for %s: %p', (entries, address, expected) => {
    expect(isWhitelisted(checkIpWhitelist(entries), address)).toBe(expected);
  });

  test('an IPv4 network admits exactly the addresses that share its leading bits', () => {
    const toNumber = (address: string) =>
      address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (network, caller, bits) => {
        const size = 2 ** (32 - bits);
        const same = Math.floor(toNumber(network) / size) === Math.floor(toNumber(caller) / size);
        expect(isWhitelisted(checkIpWhitelist([`${network}/${bits}`]), caller)).toBe(same);
      }),
    );
  });
});
