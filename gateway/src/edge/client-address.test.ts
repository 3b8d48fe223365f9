import { Socket } from 'node:net';
import { createClientResolver } from './client-address.ts';

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
  ['a port is not an address', ['10.0.0.9'], '10.0.0.9', '1.2.3.4:80', '10.0.0.9'],
  ['a range named as IPv4 in IPv6', ['::ffff:10.0.0.0/104'], '10.0.0.9', '1.2.3.4', '1.2.3.4'],
  ['a number is not an address', ['10.0.0.9'], '10.0.0.9', '16909060', '10.0.0.9'],
  ['leading zeros are not an address', ['10.0.0.9'], '10.0.0.9', '01.02.03.04', '10.0.0.9'],
  ['no header', ['10.0.0.9'], '10.0.0.9', undefined, '10.0.0.9'],
])('%s', (_name, trusted, peer, forwardedFor, expected) => {
  const resolve = createClientResolver(trusted);
  expect(resolve(socketFrom(peer), { for: forwardedFor, proto: undefined }).address).toBe(expected);
});

test.each([
  ['a trusted proxy says https', ['10.0.0.9'], 'https', 'https'],
  ['a trusted proxy says HTTPS', ['10.0.0.9'], 'HTTPS', 'https'],
  ['a trusted proxy sends no protocol', ['10.0.0.9'], undefined, 'http'],
  ['a trusted proxy sends an unknown protocol', ['10.0.0.9'], 'gopher', 'http'],
  ['an untrusted peer says https', [], 'https', 'http'],
])('%s', (_name, trusted, proto, expected) => {
  const resolve = createClientResolver(trusted);
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
  expect(createClientResolver(trusted)(socket, { for: undefined, proto }).protocol).toBe(expected);
});
