import { list } from '@platform/service-kit/config/config.ts';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type Address = ReturnType<typeof ipaddr.parse>;

/** An address and the number of its leading bits that count. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** WEBHOOK_ALLOWED_NETWORKS: addresses and networks in CIDR notation, separated by commas. */
export const networks = list
  .transform((entries) => entries.map(readNetwork))
  .refine((found) => !found.includes(undefined), {
    error: 'must be IP addresses or networks in CIDR notation, as 10.20.0.0/16',
  })
  .transform((found) => found.filter((network) => network !== undefined));

/** Addresses of IPv6 that are routed on the internet (RFC 4291 section 2.4, IANA's registry of global unicast). */
const globalUnicast: Network = ipaddr.parseCIDR('2000::/3');

/**
 * Public addresses at which a cloud's own machines respond. Its other metadata addresses lie in special networks.
 * 168.63.129.16: Azure's wire server.
 */
const cloudInternal: readonly Network[] = [ipaddr.parseCIDR('168.63.129.16/32')];

/**
 * Whether a text is a public address: not in a special-purpose registry (RFC 6890), and not an IPv6 address that a translator
 * on the way would turn into an IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || cloudInternal.some((network) => isIn(address, network))) return false;
  // range() recognizes special networks and calls all others unicast, including unrouted ones such as ::8.8.8.8.
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (isIn(address, globalUnicast) && !isIsatap(address));
}

/** Whether an address stays on this machine: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(text: string): boolean {
  return parseAddress(text)?.range() === 'loopback';
}

/** Whether an address lies in one of the networks, spelled in the same version of IP. */
export function isInNetworks(text: string, allowed: readonly Network[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && allowed.some((network) => isIn(address, network));
}

/** The address; undefined for other texts and for IPv4 in other forms than four decimal numbers. */
function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.parse(text) : undefined;
  // A zone (fe80::1%eth0) names an interface of this machine.
  return ipaddr.IPv6.isValid(text) && !text.includes('%') ? ipaddr.parse(text) : undefined;
}

function isIn(address: Address, [base, bits]: Network): boolean {
  return address.kind() === base.kind() && address.match([base, bits]);
}

/** ISATAP (RFC 5214): the last 8 bytes are 0:5efe or 200:5efe and an IPv4 address, under any prefix. */
function isIsatap(address: Address): boolean {
  const bytes = address.toByteArray();
  return (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function readNetwork(text: string): Network | undefined {
  const address = parseAddress(text.replace(/\/.*$/, ''));
  if (address === undefined) return undefined;
  if (!text.includes('/')) return [address, address.kind() === 'ipv4' ? 32 : 128];
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined;
}

/** Ports of receivers: 443 where WEBHOOK_ALLOWED_PORTS does not say otherwise. */
export const ports = list
  .pipe(z.array(z.coerce.number<string>('must be ports').int('must be ports').min(1).max(65_535)).min(1))
  .transform((found) => new Set(found));
