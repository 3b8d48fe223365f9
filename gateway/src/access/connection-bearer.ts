import type { Socket } from 'node:net';
import { checkedTokenPrefix } from '@platform/service-kit/secrets/checked-token.ts';

const bearerShape = /^Bearer +(\S+) *$/i;

const credentialPrefixes: ReadonlySet<string> = new Set(['sk', 'rk', 'at']);

/** The bearer of an Authorization header, well-formed or not; undefined for none. */
export function bearerOf(header = ''): string | undefined {
  return bearerShape.exec(header)?.[1];
}

/** A well-formed bearer, and the cache key of its last query. */
export class ConnectionBearer {
  readonly header: string;
  readonly bearer: string;
  #clientIp = '';
  #requiredScope = '';
  #key: string | undefined;

  constructor(header: string, bearer: string) {
    this.header = header;
    this.bearer = bearer;
  }

  /** The result of `digest` for a client address and a scope, computed when either changes. */
  cacheKey(clientIp: string, requiredScope: string, digest: (text: string) => string): string {
    const isSame = this.#clientIp === clientIp && this.#requiredScope === requiredScope;
    if (isSame && this.#key !== undefined) return this.#key;
    this.#clientIp = clientIp;
    this.#requiredScope = requiredScope;
    this.#key = digest(`${this.bearer}\n${clientIp}\n${requiredScope}`);
    return this.#key;
  }
}

const lastBearer = Symbol('last bearer');

/** Stored as a property of the connection, so that the bearer is released together with it. */
interface Connection extends Socket {
  [lastBearer]?: ConnectionBearer;
}

/**
 * Parses a header, unless it is the one that the last request on this connection had. Nearly all connections have one bearer,
 * and its form, checksum and digest cost 3 % of a request.
 * @returns undefined for a header without a well-formed bearer
 */
export function connectionBearer(
  connection: Connection,
  header: string | undefined,
): ConnectionBearer | undefined {
  const last = connection[lastBearer];
  if (last !== undefined && last.header === header) return last;
  const bearer = bearerOf(header);
  if (header === undefined || bearer === undefined || !isWellFormed(bearer)) return undefined;
  const parsed = new ConnectionBearer(header, bearer);
  connection[lastBearer] = parsed;
  return parsed;
}

function isWellFormed(bearer: string): boolean {
  const prefix = checkedTokenPrefix(bearer);
  return prefix !== undefined && credentialPrefixes.has(prefix);
}
