import ipaddr from 'ipaddr.js';

/** Bytes of an IPv6 address that name a customer of a network; the rest is the customer's to choose. */
const customerBytes = 8;

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 address. Anything else is itself. */
export function addressBlock(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, customerBytes);
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}
