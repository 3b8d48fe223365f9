import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';

type Protocol = 'http' | 'https';

/** Protocol of a connection: https where the gateway itself terminates TLS. */
export function connectionProtocol(connection: Duplex): Protocol {
  return 'encrypted' in connection && connection.encrypted === true ? 'https' : 'http';
}

// Lower case, so that it replaces the upstream's.
const strict = { 'strict-transport-security': 'max-age=31536000' };
const none = {};

/** Strict-Transport-Security for one year (RFC 6797) to clients that speak https, to the gateway or a trusted proxy. */
export function strictTransport(protocol: Protocol): Readonly<Record<string, string>> {
  return protocol === 'https' ? strict : none;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Origin of a request, as far as the peer and the trusted proxies tell. */
interface Client {
  readonly address: string;
  readonly protocol: Protocol;
  /** A trusted proxy says that the client sent the request over http. */
  readonly isPlainHttp: boolean;
}

/** X-Forwarded-*; believed only from a trusted proxy. */
export interface ForwardedHeaders {
  readonly for: string | undefined;
  readonly proto: string | undefined;
}

export type ClientResolver = (socket: Socket, forwarded: ForwardedHeaders) => Client;

/**
 * Resolves a client by walking X-Forwarded-For from the right: the first address that is not a trusted proxy's
 * (CIDRs). Entries further left may be forged and are not read. IPv4 in IPv6 (`::ffff:a.b.c.d`) is the IPv4 address.
 */
export function createClientResolver(trustedProxies: readonly string[]): ClientResolver {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: string) => {
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
  const peers = new WeakMap<Socket, { readonly address: string; readonly trusted: boolean }>();

  function peerOf(socket: Socket) {
    const cached = peers.get(socket);
    if (cached !== undefined) return cached;
    const address = ipaddr.process(socket.remoteAddress ?? '0.0.0.0').toString();
    const peer = { address, trusted: isTrusted(address) };
    peers.set(socket, peer);
    return peer;
  }

  function firstUntrusted(forwardedFor: string, nearest: string): string {
    let client = nearest;
    for (const entry of forwardedFor.split(',').reverse()) {
      const candidate = entry.trim();
      // ipaddr.js alone accepts ambiguous forms such as `1.2` and `010.0.0.1`.
      if (isIP(candidate) === 0) return client;
      client = ipaddr.process(candidate).toString();
      if (!isTrusted(client)) return client;
    }
    return client;
  }

  return (socket, forwarded) => {
    const { address, trusted } = peerOf(socket);
    const ownProtocol = connectionProtocol(socket);
    if (!trusted) return { address, protocol: ownProtocol, isPlainHttp: false };
    return {
      address: forwarded.for === undefined ? address : firstUntrusted(forwarded.for, address),
      ...(forwarded.proto === undefined
        ? { protocol: ownProtocol, isPlainHttp: false }
        : protocolOf(forwarded.proto)),
    };
  };
}

/** The protocol that the first proxy saw: each may add its own after it. */
function protocolOf(forwardedProto: string): Pick<Client, 'protocol' | 'isPlainHttp'> {
  const first = forwardedProto.split(',', 1)[0]?.trim().toLowerCase();
  return { protocol: first === 'https' ? 'https' : 'http', isPlainHttp: first === 'http' };
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
