import { Socket } from 'node:net';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { createClientResolver, reportUnreadable } from './client-address.ts';

function socketFrom(remoteAddress: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
}

test.each([
  ['no proxy is trusted', [], '10.0.0.9', '1.2.3.4', '10.0.0.9'],
  ['the peer is trusted', ['10.0.0.0/8'], '10.0.0.9', '1.2.3.4', '1.2.3.4'],
  ['the leftmost entry is forged', ['10.0.0.0/8'], '10.0.0.9', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['a chain of proxies', ['10.0.0.0/8'], '10.0.0.9', '6.6.6.6, 1.2.3.4, 10.1.1.1, 10.2.2.2', '1.2.3.4'],
  ['all entries are proxies', ['10.0.0.0/8'], '10.0.0.9', '10.1.1.1', '10.1.1.1'],
  ['an untrusted peer sends the header', ['10.0.0.0/8'], '9.9.9.9', '1.2.3.4', '9.9.9.9'],
  ['garbage ends the walk', ['10.0.0.0/8'], '10.0.0.9', '1.2.3.4, nonsense', '10.0.0.9'],
  ['an empty entry ends the walk', ['10.0.0.0/8'], '10.0.0.9', '1.2.3.4,,10.1.1.1', '10.1.1.1'],
  ['IPv4 in IPv6 is IPv4', ['10.0.0.0/8'], '::ffff:10.0.0.9', '::ffff:1.2.3.4', '1.2.3.4'],
  ['IPv6 ranges', ['2001:db8::/32'], '2001:db8::1', '2001:db9::5', '2001:db9::5'],
  ['one address as a range', ['10.0.0.9'], '10.0.0.9', '1.2.3.4', '1.2.3.4'],
  ['a port', ['10.0.0.9'], '10.0.0.9', '1.2.3.4:4711', '1.2.3.4'],
  ['a port, of a proxy', ['10.0.0.0/8'], '10.0.0.9', '1.2.3.4:4711, 10.1.1.1:80', '1.2.3.4'],
  ['IPv6 in brackets', ['10.0.0.9'], '10.0.0.9', '[2001:db8::7]', '2001:db8::7'],
  ['IPv6 with a port', ['10.0.0.9'], '10.0.0.9', '[2001:DB8::7]:4711', '2001:db8::7'],
  ['IPv4 in IPv6 with a port', ['10.0.0.9'], '10.0.0.9', '[::ffff:1.2.3.4]:80', '1.2.3.4'],
  ['quotes', ['10.0.0.9'], '10.0.0.9', '"1.2.3.4"', '1.2.3.4'],
  ['quotes, brackets, port and blanks', ['10.0.0.9'], '10.0.0.9', ' " [2001:db8::7]:4711 "\t', '2001:db8::7'],
  ['a range named as IPv4 in IPv6', ['::ffff:10.0.0.0/104'], '10.0.0.9', '1.2.3.4', '1.2.3.4'],
  ['a number is not an address', ['10.0.0.9'], '10.0.0.9', '16909060', '10.0.0.9'],
  ['leading zeros are not an address', ['10.0.0.9'], '10.0.0.9', '01.02.03.04', '10.0.0.9'],
  ['the zone of a link-local peer is no part of its address', [], 'fe80::1%br-0a1b.10', undefined, 'fe80::1'],
  ['no header', ['10.0.0.9'], '10.0.0.9', undefined, '10.0.0.9'],
])('%s', (_name, trusted, peer, forwardedFor, expected) => {
  const resolve = createClientResolver(trusted, () => undefined);
  expect(resolve(socketFrom(peer), { for: forwardedFor, proto: undefined }).address).toBe(expected);
});

test.each([
  ['a trusted proxy says https', ['10.0.0.9'], 'https', 'https'],
  ['a trusted proxy says HTTPS', ['10.0.0.9'], 'HTTPS', 'https'],
  ['a trusted proxy sends no protocol', ['10.0.0.9'], undefined, 'http'],
  ['a trusted proxy sends an unknown protocol', ['10.0.0.9'], 'gopher', 'http'],
  ['an untrusted peer says https', [], 'https', 'http'],
])('%s', (_name, trusted, proto, expected) => {
  const resolve = createClientResolver(trusted, () => undefined);
  expect(resolve(socketFrom('10.0.0.9'), { for: undefined, proto }).protocol).toBe(expected);
});

test.each([
  ['the gateway terminates TLS', [], undefined, 'https'],
  ['the gateway terminates TLS, and an untrusted peer says http', [], 'http', 'https'],
  [
    'the gateway terminates TLS behind a proxy that the client reached without it',
    ['10.0.0.9'],
    'http',
    'http',
  ],
])('%s', (_name, trusted, proto, expected) => {
  const socket = Object.assign(socketFrom('10.0.0.9'), { encrypted: true });
  expect(createClientResolver(trusted, () => undefined)(socket, { for: undefined, proto }).protocol).toBe(
    expected,
  );
});

test.each([
  'unknown',
  '_hidden',
  '"_hidden"',
  '',
  'nonsense',
  '1.2:80',
  '01.2.3.4:80',
  '1.2.3.4:',
  '1.2.3.4:80:80',
  '1.2.3.4:http',
  '[1.2.3.4]:80',
  '[2001:db8::7',
  '[2001:db8::7]x',
  '[2001:db8::7]4711',
  'for=1.2.3.4',
])('%j is not an address, so the proxy counts as the client and the entry is reported', (entry) => {
  const reported: string[][] = [];
  const resolve = createClientResolver(['10.0.0.0/8'], (...args) => reported.push(args));
  const forwarded = { for: `1.2.3.4, ${entry}, 10.1.1.1`, proto: undefined };
  expect(resolve(socketFrom('10.0.0.9'), forwarded).address).toBe('10.1.1.1');
  expect(reported).toEqual([[expect.stringContaining(entry), '10.1.1.1']]);
});

test('entries left of an untrusted address are neither read nor reported', () => {
  const resolve = createClientResolver(['10.0.0.9'], () => {
    throw new Error('reported');
  });
  const forwarded = { for: 'unknown, 1.2.3.4', proto: undefined };
  expect(resolve(socketFrom('10.0.0.9'), forwarded).address).toBe('1.2.3.4');
});

test('entries that are not addresses are counted, and their number is logged once a minute', async () => {
  const registry = createRegistry('gateway');
  const logged: object[] = [];
  let now = 0;
  const report = reportUnreadable({
    registry,
    logger: { warn: (line: object) => void logged.push(line) },
    monotonicNow: () => now,
  });
  for (now of [0, 1, 59_999, 60_000, 60_001]) report('x'.repeat(200), '10.0.0.9');
  const entry = `${'x'.repeat(100)}…`;
  expect(logged).toEqual([
    { proxy: '10.0.0.9', entry, requests: 1 },
    { proxy: '10.0.0.9', entry, requests: 3 },
  ]);
  expect(await registry.metrics()).toMatch(/^gateway_unreadable_forwarded_total\{.*\} 5$/m);
});
