import { expect, test } from '@jest/globals';
import { isInNetworks, isLoopbackAddress, isPublicAddress, networks, ports } from './address.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.0',
  '223.255.255.255',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each(['2600::1', '2a00:1450:4001:80b::200e', '2606:4700:4700::1111', '2400:cb00::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

const notPublic: readonly (readonly [kind: string, addresses: readonly string[]])[] = [
  ['loopback', ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1']],
  ['this network', ['0.0.0.0', '0.1.2.3', '::']],
  ['private', ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1']],
  ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['metadata', ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16']],
  ['shared by carriers', ['100.64.0.0', '100.127.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1']],
  ['reserved', ['240.0.0.1', '255.255.255.255', '192.0.0.8', '192.88.99.1', '100::1', '5f00::1']],
  ['documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1']],
  ['benchmark', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
  ['unique local', ['fc00::1', 'fdff:ffff::1']],
  ['site-local', ['fec0::1']],
  ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:0a00:0001']],
  ['IPv4-compatible', ['::127.0.0.1', '::8.8.8.8', '::a00:1']],
  ['IPv4-translated', ['::ffff:0:127.0.0.1']],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '64:ff9b::8.8.8.8']],
  ['6to4', ['2002:7f00:1::1', '2002:808:808::1']],
  ['Teredo', ['2001:0:7f00:1::1', '2001::1']],
  ['ISATAP', ['2600::5efe:7f00:1', '2600::200:5efe:10.0.0.1']],
  ['ORCHID', ['2001:10::1', '2001:20::1']],
  ['not routed', ['4000::1', '8000::1', '1::1']],
  [
    'another spelling',
    ['127.1', '0x7f.1', '2130706433', '017700000001', '0177.0.0.1', '8.8.8', '134744072', ' 8.8.8.8'],
  ],
  ['no address', ['', 'localhost', 'example.com', '1.2.3.4.5', '::g', '[::1]', '8.8.8.8/32']],
];

test.each(notPublic.flatMap(([kind, addresses]) => addresses.map((address) => [kind, address] as const)))(
  '%s: %s is not public',
  (_, address) => expect(isPublicAddress(address)).toBe(false),
);

test('loopback addresses are 127.0.0.0/8 and ::1 in their plain notation', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopbackAddress)).toEqual([true, true, true]);
  expect(['127.1', '::ffff:127.0.0.1', '0.0.0.0', 'localhost', '128.0.0.1'].some(isLoopbackAddress)).toBe(
    false,
  );
});

test('an operator may allow addresses and networks, but not in other notations', () => {
  const allowed = networks.parse('10.20.0.0/16, 192.168.1.5,fd00:1::/32');
  for (const address of ['10.20.255.1', '192.168.1.5', 'fd00:1::9'])
    expect(isInNetworks(address, allowed)).toBe(true);
  for (const address of [
    '10.21.0.1',
    '192.168.1.6',
    'fd00:2::1',
    '::ffff:10.20.0.1',
    '64:ff9b::10.20.0.1',
    'x',
  ])
    expect(isInNetworks(address, allowed)).toBe(false);
  expect(networks.parse('')).toEqual([]);
});

test.each(['10.0.0.0/33', '10.0.0/8', 'private', '10.0.0.1/', '::/129', 'fe80::1%eth0', '10.1,10.0.0.0/8'])(
  '%j is no list of networks',
  (text) => expect(networks.safeParse(text).success).toBe(false),
);

test('ports are a list of numbers', () => {
  expect(ports.parse('443, 8443')).toEqual(new Set([443, 8443]));
  for (const text of ['', '0', '65536', 'https', '443;8443'])
    expect(ports.safeParse(text).success).toBe(false);
});
