import { AppError } from '@platform/service-kit/values/app-error.ts';
import { isInNetworks, isLoopbackAddress, isPublicAddress, type Network } from './address.ts';

/** Addresses that this installation may dial. */
export interface AddressRules {
  /** Networks that may be dialed although they are not public. */
  readonly allowedNetworks: readonly Network[];
  /** Ports of https URLs. */
  readonly allowedPorts: ReadonlySet<number>;
  /** Loopback hosts at any port, over http as well: MODE=local. */
  readonly allowsLoopback: boolean;
}

const maxLength = 1_000;

/** Names that lead to this machine or into a private network, by themselves or as a domain (RFC 6761, RFC 8375, ICANN). */
const privateDomains = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home.arpa', 'localdomain'];

/** The URL of an endpoint as it is stored. @throws AppError `invalid_argument` with what is wrong with it */
export function checkEndpointUrl(text: string, rules: AddressRules): string {
  const error = findUrlError(text, rules);
  if (error !== undefined) throw new AppError('invalid_argument', 'invalid_url', error);
  return text;
}

/**
 * Validation error of an endpoint's URL. Host names are not looked up here: their addresses may change, and are checked at
 * every attempt.
 */
export function findUrlError(text: string, rules: AddressRules): string | undefined {
  if (text.length > maxLength) return `the URL must have at most ${maxLength} characters`;
  const url = URL.parse(text);
  if (url === null) return 'the URL must be absolute, as https://example.com/webhooks';
  return (
    spellingError(url, text) ??
    (rules.allowsLoopback && isLoopbackHost(url.hostname) ? schemeError(url) : remoteError(url, rules))
  );
}

/** Whether an address to which a host name resolves may be dialed. */
export function mayDial(address: string, hostname: string, rules: AddressRules): boolean {
  if (isPublicAddress(address) || isInNetworks(address, rules.allowedNetworks)) return true;
  return rules.allowsLoopback && isLoopbackHost(hostname) && isLoopbackAddress(address);
}

/** Whether a host name stands for this machine without a lookup (RFC 6761 section 6.3). */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopbackAddress(unbracketed(hostname))
  );
}

/** A host as an address is written outside URLs: `[::1]` as `::1`. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function spellingError(url: URL, text: string): string | undefined {
  if (url.username !== '' || url.password !== '') return 'the URL must not contain a user name or password';
  if (text.includes('#')) return 'the URL must not have a fragment';
  if (url.hostname.endsWith('.')) return 'the host name must not end with a dot';
  // Refuses other spellings of a URL: decimal, octal or hexadecimal addresses, upper case, dot segments, default ports.
  if (url.href !== text && url.href !== `${text}/`) return `write the URL as ${url.href}`;
  return undefined;
}

function schemeError({ protocol }: URL): string | undefined {
  return protocol === 'https:' || protocol === 'http:'
    ? undefined
    : 'the URL must begin with https:// or http://';
}

function remoteError(url: URL, { allowedNetworks, allowedPorts }: AddressRules): string | undefined {
  if (url.protocol !== 'https:') return 'the URL must begin with https://';
  const port = url.port === '' ? 443 : Number(url.port);
  if (!allowedPorts.has(port)) return `the port must be one of ${[...allowedPorts].join(', ')}`;
  const host = unbracketed(url.hostname);
  if (isAddress(url.hostname)) {
    const isAllowed = isPublicAddress(host) || isInNetworks(host, allowedNetworks);
    return isAllowed ? undefined : 'the address is not public';
  }
  // Names of private networks can only work if the operator has allowed such networks.
  if (allowedNetworks.length > 0 && !isIn(host, 'localhost')) return undefined;
  const isPrivate = !host.includes('.') || privateDomains.some((domain) => isIn(host, domain));
  return isPrivate ? 'the host name is not public' : undefined;
}

/** WHATWG URL, 3.5: a host that ends in a number is an IPv4 address, and is written as one. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

function isIn(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
