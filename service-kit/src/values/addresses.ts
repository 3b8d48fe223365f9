import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Address to listen on: an IPv4 or IPv6 address (brackets allowed), or a name that resolves to one. */
export const host = z
  .string()
  .transform(withoutBrackets)
  .refine(isHost, 'must be an IP address or a host name, without scheme and port');

/** An HTTP origin, spelled as `URL.origin` does, so that texts can be compared. */
export const publicOrigin = z.string().superRefine((text, context) => {
  const report = (message: string) => context.addIssue({ code: 'custom', message });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isHttp(url)) return report('must be an origin, as https://api.example.com');
  if (!isBare(url) || /[/?#]$/.test(text)) {
    return report('must be an origin: no user, path, query or fragment, and no slash at the end');
  }
  if (url.origin !== text) report('must be as browsers write it: lower case, no default port');
});

/** Origin of a service behind the gateway: `http://10.0.0.1:3000`, `https://[fd00::1]:3000`. */
export const upstreamOrigin = z.string().refine(isUpstreamOrigin, {
  error: 'must be a list of http:// or https:// origins, without a path',
});

/** Origin of a collector of traces: `http://collector:4318`. */
export const collectorOrigin = z.string().refine(isUpstreamOrigin, {
  error: 'must be an http:// or https:// origin, without a path',
});

/** A page to which the header `Link` leads: a path of the platform, or a URL elsewhere. */
export const pageAddress = z.string().refine(isPageAddress, {
  error: 'must be a path, as /docs/errors, or an http:// or https:// URL, in ASCII',
});

/** gRPC target: `dns:///name:5000`, `ipv4:10.0.0.1:5000,10.0.0.2:5000`, `ipv6:[::1]:5000` or `name:5000`. */
export const grpcTarget = z.string().refine(isGrpcTarget, {
  error: 'must be a gRPC target with ports, as dns:///identity-service:5000',
});

/** `host:port`, with an IPv6 address in brackets. */
export function hostPort(name: string, port: number): string {
  return isIPv6(name) ? `[${name}]:${port}` : `${name}:${port}`;
}

/** Whether an origin stays on this machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Address for questions where none is configured: support@ the host of the platform. */
export function defaultSupportEmail(publicUrl: string): string {
  return `support@${new URL(publicUrl).hostname}`;
}

function withoutBrackets(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

const label = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i;

/** A name whose last label is a number would be read as an IPv4 address (WHATWG URL, 3.5). */
function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const labels = text.replace(/\.$/, '').split('.');
  return (
    text.length <= 253 &&
    labels.every((part) => label.test(part)) &&
    !/^(\d+|0x[\da-f]*)$/i.test(labels.at(-1) ?? '')
  );
}

const isHttp = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:';

const isBare = ({ username, password, pathname, search, hash }: URL) =>
  [username, password, search, hash].every((part) => part === '') && pathname === '/';

function isUpstreamOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return isHttp(url) && isBare(url) && !/[?#]$/.test(text) && isHost(withoutBrackets(url.hostname));
}

function isPageAddress(text: string): boolean {
  const fitsHeader = /^[!-~]+$/.test(text) && !/[<>"]/.test(text);
  const isPath = /^\/(?![/\\])/.test(text);
  return fitsHeader && (isPath || (/^https?:\/\//i.test(text) && URL.canParse(text)));
}

function isGrpcTarget(target: string): boolean {
  const [, scheme = 'dns', path = ''] = /^(?:(dns|ipv4|ipv6):(?:\/\/[^/]*\/)?)?(.*)$/.exec(target) ?? [];
  const isRight = { dns: isHost, ipv4: isIPv4, ipv6: isIPv6 }[scheme] ?? isHost;
  return path.split(',').every((address) => {
    const [, name = '', port = ''] = /^(.*):(\d{1,5})$/.exec(address) ?? [];
    const bare = withoutBrackets(name);
    return (
      isRight(bare) && isIPv6(bare) === name.startsWith('[') && Number(port) > 0 && Number(port) <= 65_535
    );
  });
}

/** Bytes of an IPv6 address that a network assigns to a customer; the customer chooses the rest. */
const customerBytes = 8;

/** The unit of throttling: an IPv4 address, or the /64 of an IPv6 address. Any other text stays as it is. */
export function addressBlock(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, customerBytes);
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}
