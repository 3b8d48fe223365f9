import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import { type AddressRules, isLoopbackHost, mayDial } from './url.ts';

/** Why a host name leads to no connection. */
export type LookupFailure = 'address_not_allowed' | 'name_not_found';

/** A lookup without a usable result. */
export class LookupError extends Error {
  override readonly name = 'LookupError';
  readonly failure: LookupFailure;
  readonly code: string;

  constructor(failure: LookupFailure, code: string) {
    super(failure);
    this.failure = failure;
    this.code = code;
  }
}

interface LookupOptions {
  readonly rules: AddressRules;
  /** DNS servers as `address:port`; those of the machine where absent. */
  readonly servers?: readonly string[];
}

/** Lookups of the receivers' names. */
export interface Lookup {
  /** For the options of a socket. */
  readonly lookup: LookupFunction;
  /** Ends the queries that wait for a DNS server. */
  close(): void;
}

interface DialAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Milliseconds for one try at one server, the number of tries, and milliseconds in all. */
const tryMs = 2_000;
const tries = 2;
const limitMs = 6_000;

/** Addresses of each family that are tried, in order. */
const maxPerFamily = 2;

/**
 * Looks up a host name once and checks every address before a socket gets them, so that only checked addresses are dialed.
 * A single address that may not be dialed makes the whole lookup fail.
 *
 * Queries DNS directly (c-ares) instead of getaddrinfo, which occupies one of four threads while a slow server responds,
 * reads /etc/hosts and appends search domains.
 */
export function createLookup({ rules, servers }: LookupOptions): Lookup {
  const resolver = new Resolver({ timeout: tryMs, tries });
  if (servers !== undefined) resolver.setServers(servers);
  const find = async (hostname: string): Promise<DialAddress[]> => {
    const found = isLoopbackHost(hostname)
      ? loopbackAddresses
      : await withTimeout(resolve(resolver, hostname), limitMs);
    if (!found.every(({ address }) => mayDial(address, hostname, rules))) {
      throw new LookupError('address_not_allowed', 'EACCES');
    }
    return [4, 6].flatMap((family) => found.filter((it) => it.family === family).slice(0, maxPerFamily));
  };
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    find(hostname).then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(new LookupError('name_not_found', 'ENODATA'), '');
        else if (all === true) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(toLookupError(error), ''),
    );
  };
  return { lookup, close: () => resolver.cancel() };
}

const loopbackAddresses: readonly DialAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Addresses of both families. @throws the error of IPv4 when neither has one */
async function resolve(resolver: Resolver, hostname: string): Promise<readonly DialAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const ofFamily = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  return [...ofFamily(four, 4), ...ofFamily(six, 6)];
}

function toLookupError(error: unknown): LookupError {
  if (error instanceof LookupError) return error;
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return new LookupError('name_not_found', hasCode ? String(error.code) : 'ETIMEOUT');
}
