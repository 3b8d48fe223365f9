import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';

/** Whether the gateway itself ends TLS on this connection. */
function isEncrypted(connection: Duplex): boolean {
  return 'encrypted' in connection && connection.encrypted === true;
}

/** Header by which browsers come with https only, for a year (RFC 6797); said on such connections only. */
export function strictTransport(connection: Duplex): Readonly<Record<string, string>> {
  // In lower case, so that it replaces an upstream's.
  return isEncrypted(connection) ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Who sent a request, as far as the connection and the proxies that we trust can tell. */
interface Client {
  readonly address: string;
  readonly protocol: 'http' | 'https';
}

/** What a request says about where it came from, worth only what its peer is worth. */
export interface ForwardedHeaders {
  readonly for: string | undefined;
  readonly proto: string | undefined;
}

export type ClientResolver = (socket: Socket, forwarded: ForwardedHeaders) => Client;

/**
 * The caller's address is the first one, from the right, that is not a trusted proxy's: X-Forwarded-For is walked through
 * trusted proxies (CIDRs) only, and what a stranger wrote further left is never read. IPv4 in IPv6 (`::ffff:a.b.c.d`) is
 * the IPv4 address.
 */
export function createClientResolver(trustedProxies: readonly string[]): ClientResolver {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: string) => {
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
  const peers = new WeakMap<Socket, { readonly address: string; readonly trusted: boolean }>();

  function peerAt(socket: Socket) {
    const seen = peers.get(socket);
    if (seen !== undefined) return seen;
    const address = ipaddr.process(socket.remoteAddress ?? '0.0.0.0').toString();
    const peer = { address, trusted: isTrusted(address) };
    peers.set(socket, peer);
    return peer;
  }

  function walk(forwardedFor: string, nearest: string): string {
    let client = nearest;
    for (const entry of forwardedFor.split(',').reverse()) {
      const candidate = entry.trim();
      // ipaddr.js alone would read `1.2` and `010.0.0.1` as addresses, and nobody agrees on which.
      if (isIP(candidate) === 0) return client;
      client = ipaddr.process(candidate).toString();
      if (!isTrusted(client)) return client;
    }
    return client;
  }

  return (socket, forwarded) => {
    const { address, trusted } = peerAt(socket);
    const ownProtocol = isEncrypted(socket) ? 'https' : 'http';
    if (!trusted) return { address, protocol: ownProtocol };
    return {
      address: forwarded.for === undefined ? address : walk(forwarded.for, address),
      protocol: forwarded.proto === undefined ? ownProtocol : protocolOf(forwarded.proto),
    };
  };
}

function protocolOf(forwardedProto: string): 'http' | 'https' {
  return forwardedProto.toLowerCase() === 'https' ? 'https' : 'http';
}

function parseRange(text: string): Range {
  if (!text.includes('/')) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}
