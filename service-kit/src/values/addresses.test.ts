import { expect, test } from '@jest/globals';
import {
  addressBlock,
  grpcTarget,
  host,
  hostPort,
  isLoopback,
  pageAddress,
  publicOrigin,
  upstreamOrigin,
} from './addresses.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['no address', 'no address'],
])('%s counts as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

test.each([
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
  ['[::1]', '::1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['localhost', 'localhost'],
  ['business_service.internal.', 'business_service.internal.'],
])('%s is a host', (text, parsed) => expect(host.parse(text)).toBe(parsed));

test.each([
  '',
  'two words',
  'a:80',
  '[::1',
  '::g',
  '1.2.3',
  '127.0.0.300',
  'http://a',
  'a/b',
  '-a',
  `${'a.'.repeat(127)}bc`,
])('%p is no host', (text) => expect(host.safeParse(text).success).toBe(false));

test.each(['https://api.example.com', 'http://localhost:8080', 'http://[::1]:8080', 'https://10.0.0.1'])(
  '%s is an origin of the platform',
  (text) => expect(publicOrigin.parse(text)).toBe(text),
);

test.each([
  ['nonsense', 'as https://api.example.com'],
  ['', 'as https://api.example.com'],
  ['api.example.com', 'as https://api.example.com'],
  ['ftp://api.example.com', 'as https://api.example.com'],
  ['//api.example.com', 'as https://api.example.com'],
  ['https://api.example.com/', 'no slash at the end'],
  ['https://api.example.com/v2', 'no slash at the end'],
  ['https://api.example.com?', 'query'],
  ['https://api.example.com?a=b', 'query'],
  ['https://api.example.com#top', 'fragment'],
  ['https://ada:word@api.example.com', 'no user'],
  ['https://API.example.com', 'lower case'],
  ['https://api.example.com:443', 'default port'],
  ['https:api.example.com', 'as browsers write it'],
])('%p is refused as a public origin, and the text says why', (text, reason) => {
  expect(publicOrigin.safeParse(text).error?.issues[0]?.message).toContain(reason);
});

test.each(['http://10.0.0.1:3000', 'https://identity-service:3000', 'https://[fd00::1]', 'http://a/'])(
  '%s is an origin of an upstream',
  (text) => expect(upstreamOrigin.safeParse(text).success).toBe(true),
);

test.each([
  '',
  'nonsense',
  'a:3000',
  'unix:/socket',
  'http://a/path',
  'http://a?',
  'http://user@a',
  'http://a:99999',
])('%p is no origin of an upstream', (text) => expect(upstreamOrigin.safeParse(text).success).toBe(false));

test.each([
  'dns:///identity-service:5000',
  'dns://1.1.1.1/identity-service:5000',
  'dns:identity-service:5000',
  'identity-service:5000',
  '127.0.0.1:5000',
  '[::1]:5000',
  'ipv4:10.0.0.1:5000,10.0.0.2:5001',
  'ipv6:[::1]:5000,[fd00::1]:5000',
])('%s is a gRPC target', (text) => expect(grpcTarget.safeParse(text).success).toBe(true));

test.each([
  '',
  'dns:///identity-service',
  '::1:5000',
  'ipv4:identity-service:5000',
  'ipv4:[::1]:1',
  'a:0',
  'a:70000',
  'http://a:1',
])('%p is no gRPC target', (text) => expect(grpcTarget.safeParse(text).success).toBe(false));

test('an IPv6 address stands in brackets before a port', () => {
  expect([hostPort('::1', 1), hostPort('127.0.0.1', 1), hostPort('a', 1)]).toEqual([
    '[::1]:1',
    '127.0.0.1:1',
    'a:1',
  ]);
});

test('a loopback origin stays on the machine', () => {
  const is = ['http://localhost:1', 'http://app.localhost', 'http://127.1.2.3', 'http://[::1]:8080'];
  const isNot = ['http://localhost.example', 'http://10.0.0.1', 'http://127.0.0.1.example', 'http://[::2]'];
  expect([is.map(isLoopback), isNot.map(isLoopback)]).toEqual([is.map(() => true), isNot.map(() => false)]);
});

test.each(['/docs/errors', '/', 'https://docs.example.com/errors?v=2', 'http://localhost:8080'])(
  '%s is a page',
  (text) => expect(pageAddress.parse(text)).toBe(text),
);

test.each([
  'docs/errors',
  '//docs.example.com',
  '/\\docs.example.com',
  'ftp://docs.example.com',
  'https://',
  '/docs/fehler-\u20ac',
  '/docs/f\u00e9',
  '/docs\nerrors',
  '/docs errors',
  '/docs>; rel="x"',
  '',
])('%j is no page', (text) => expect(pageAddress.safeParse(text).success).toBe(false));
