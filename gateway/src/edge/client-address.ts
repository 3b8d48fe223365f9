import { isIP, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { echo } from '@platform/service-kit/input/path-text.ts';
import { logRarely } from '@platform/service-kit/telemetry/log-rarely.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
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

/** Origin of a request, as determined from the peer and the trusted proxies. */
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

/** Called with an entry that is not an address. The proxy that sent it then counts as the client. */
export type OnUnreadable = (entry: string, proxy: string) => void;

/** The address of a peer. The zone of a link-local address is removed, since configured addresses have none. */
const processed = (address: string) => ipaddr.process(address.replace(/%.*$/s, ''));

/** Whether an address is that of a trusted proxy (CIDRs). */
export function createTrust(trustedProxies: readonly string[]): (address: string) => boolean {
  const ranges = trustedProxies.map(parseRange);
  return (address) => {
    const parsed = processed(address);
    return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
}

/**
 * Resolves a client by walking X-Forwarded-For from the right: the first address that is not a trusted proxy's
 * (CIDRs). Entries further left may be forged and are not read. IPv4 in IPv6 (`::ffff:a.b.c.d`) is the IPv4 address.
 */
export function createClientResolver(
  trustedProxies: readonly string[],
  onUnreadable: OnUnreadable,
): ClientResolver {
  const isTrusted = createTrust(trustedProxies);
  const peers = new WeakMap<Socket, { readonly address: string; readonly trusted: boolean }>();

  function peerOf(socket: Socket) {
    const cached = peers.get(socket);
    if (cached !== undefined) return cached;
    const address = processed(socket.remoteAddress ?? '0.0.0.0').toString();
    const peer = { address, trusted: isTrusted(address) };
    peers.set(socket, peer);
    return peer;
  }

  function firstUntrusted(forwardedFor: string, nearest: string): string {
    let client = nearest;
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = addressOf(entry.trim());
      if (address === undefined) {
        onUnreadable(entry, client);
        return client;
      }
      client = processed(address).toString();
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

/** An address in quotes, in brackets or with a port, as some proxies write it (RFC 7239 section 6). */
const decorated = /^"?\s*(?:\[([\d:.a-f]+)\]|([\d.]+))(?::\d{1,5})?\s*"?$/i;

/** The address of an entry without blanks around it; undefined for anything else, such as `unknown`, `_hidden` and `1.2`. */
function addressOf(entry: string): string | undefined {
  // ipaddr.js alone accepts ambiguous forms such as `1.2` and `010.0.0.1`.
  if (isIP(entry) !== 0) return entry;
  const [, inBrackets, plain] = decorated.exec(entry) ?? [];
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? inBrackets : undefined;
  return plain !== undefined && isIP(plain) !== 0 ? plain : undefined;
}

/** The protocol that the first proxy saw. Each further proxy may append its own to the list. */
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

export interface ReportUnreadableDeps {
  readonly registry: Registry;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds. */
  readonly monotonicNow: () => number;
}

const logEveryMs = 60_000;

/** Counts invalid entries of X-Forwarded-For. Logs at most one line a minute, with the number since the last line. */
export function reportUnreadable({ registry, logger, monotonicNow }: ReportUnreadableDeps): OnUnreadable {
  const counter = new Counter({
    name: 'gateway_unreadable_forwarded_total',
    help: 'Requests whose X-Forwarded-For has no address where the client would be',
    registers: [registry],
  });
  const message = 'X-Forwarded-For cannot be read: the proxy is taken for the client';
  const log = logRarely(
    logEveryMs,
    (requests, entry: string, proxy: string) => logger.warn({ proxy, entry: echo(entry), requests }, message),
    monotonicNow,
  );
  return (entry, proxy) => {
    counter.inc();
    log(entry, proxy);
  };
}
