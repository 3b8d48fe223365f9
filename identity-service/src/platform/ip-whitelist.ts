import { isIP } from 'node:net';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

type Network = readonly [address: Address, bits: number];

const maxEntries = 100;

/** The IP whitelist of an application, as `checkOptionalIpWhitelist`. @throws AppError also when there are none */
export function checkIpWhitelist(candidates: readonly string[]): string[] {
  if (candidates.length === 0) throw refusal('an app needs at least one whitelisted IP address');
  return checkOptionalIpWhitelist(candidates);
}

/**
 * The IP whitelist of an API key, which may be empty, each entry in its one normal form: IPv4 or IPv6, as address or network; IPv4 in
 * IPv6 (`::ffff:a.b.c.d`) is the IPv4 address; a network starts at its first address.
 * @throws AppError when there are too many, and for anything else
 */
export function checkOptionalIpWhitelist(candidates: readonly string[]): string[] {
  if (candidates.length > maxEntries) throw refusal(`an IP whitelist has at most ${maxEntries} entries`);
  const entries = candidates.map((candidate) => {
    const network = parseNetwork(candidate.trim());
    if (network === undefined)
      throw refusal(`${JSON.stringify(candidate.slice(0, 60))} is not a valid IP address or network`);
    return format(network);
  });
  return [...new Set(entries)];
}

/** Whether a caller's address is on a whitelist that passed `checkIpWhitelist`. */
export function isWhitelisted(whitelist: readonly string[], clientIp: string): boolean {
  if (isIP(clientIp) === 0) return false;
  const address = ipaddr.process(clientIp);
  return whitelist.some((entry) => {
    const network = parseNetwork(entry);
    return network !== undefined && contains(network, address);
  });
}

/** Whether a changed whitelist admits addresses that the one before refuses; an empty one admits any. */
export function opensWhitelist(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false;
  const known = before.map(parseNetwork).filter((network) => network !== undefined);
  return after.length === 0 || !after.every((entry) => isWithin(parseNetwork(entry), known));
}

function isWithin(network: Network | undefined, known: readonly Network[]): boolean {
  if (network === undefined) return false;
  const [address, bits] = network;
  return known.some((wider) => wider[1] <= bits && contains(wider, address));
}

function contains([start, bits]: Network, address: Address): boolean {
  return start.kind() === address.kind() && address.match(start, bits);
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  // ipaddr.js alone would read `1.2` and `010.0.0.1` as addresses, and a zone is local to one machine.
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const bits = prefix === undefined ? width : Number(prefix);
  if (bits > width) return undefined;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [parsed.toIPv4Address(), bits - 96] : [parsed, bits];
}

function format([address, bits]: Network): string {
  const isSingle = bits === (address.kind() === 'ipv4' ? 32 : 128);
  if (isSingle) return address.toString();
  const cidr = `${address.toString()}/${bits}`;
  const start =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${start.toString()}/${bits}`;
}

function refusal(text: string): AppError {
  return new AppError('invalid_argument', 'invalid_ip_whitelist', text);
}
