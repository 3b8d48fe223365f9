import { hash, randomBytes } from 'node:crypto';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import { LRUCache } from 'lru-cache';
import type {
  AuthorizationQuery,
  AuthorizationResult,
  CacheableResult,
  Invalid,
  Unavailable,
} from './authorization-result.ts';
import { ConnectionBearer } from './connection-bearer.ts';

interface CachedResult {
  readonly result: CacheableResult;
  /** Monotonic milliseconds at which the fetch began. */
  readonly fetchedAt: number;
  /** Monotonic milliseconds of the last failed refetch; the result is served stale until one succeeds. */
  failedAt: number | undefined;
}

const digestKey = randomBytes(32).toString('base64');

/**
 * Keyed digest for cache keys, so that no bearer is held in memory. The digest never leaves the process, so a key prefix
 * is enough; createHmac takes five times as long.
 */
function digest(text: string): string {
  return hash('sha256', digestKey + text, 'base64');
}

function cacheKey({ bearer, known, clientIp, requiredScope }: AuthorizationQuery): string {
  const keys = known ?? new ConnectionBearer('', bearer);
  return keys.cacheKey(clientIp, requiredScope, digest);
}

/** Milliseconds for which a bearer that identity-service does not know is rejected without another call. */
const invalidTtlMs = 10_000;

/**
 * Negative cache of bearers. Needs no confirmation by Redis: identity-service draws credentials at random and reveals
 * them only after storing them, so an unknown bearer cannot become valid (the chance is 1 in 2^196), and a deleted or
 * revoked one stays invalid. The TTL is short for operators who restore a backup or a pepper.
 */
interface InvalidBearers {
  /** The result for a bearer that was rejected a moment ago; undefined for any other. */
  find(bearer: string): Invalid | undefined;
  add(bearer: string, result: Invalid): void;
}

/** @param monotonicNow milliseconds on a monotonic clock */
function createInvalidBearers(max: number, monotonicNow: () => number): InvalidBearers {
  // Digests: a bearer that is invalid now may have been a customer's key a moment ago.
  const rejected = new LRUCache<string, { readonly result: Invalid; readonly expiresAt: number }>({ max });
  return {
    find: (bearer) => {
      const found = rejected.get(digest(bearer));
      return found !== undefined && found.expiresAt > monotonicNow() ? found.result : undefined;
    },
    add: (bearer, result) =>
      void rejected.set(digest(bearer), { result, expiresAt: monotonicNow() + invalidTtlMs }),
  };
}

/** A strictly increasing counter that orders events inside this process, which a clock cannot. */
export type Sequence = () => number;

export function createSequence(): Sequence {
  let last = 0;
  return () => ++last;
}

/** Calls identity-service once. Never rejects: failures are `unavailable`. */
export type FetchAuthorization = (
  query: AuthorizationQuery,
  requestedAt: number,
) => Promise<AuthorizationResult>;

interface AuthorizerDeps {
  readonly fetchAuthorization: FetchAuthorization;
  /** Checks the bearer's tag offline; a bearer without a valid one is rejected without a call. */
  readonly hasValidTag: (bearer: string) => boolean;
  readonly sequence: Sequence;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  /** Milliseconds that a request may wait for a result. The same limit applies to each fetch. */
  readonly budgetMs: number;
  /** Cached results; 0 turns off caching and sharing, so that every request fetches. */
  readonly cacheSize: number;
}

/** Source of authorization results. */
export interface Authorizer {
  /** A cached result, or one fetched after `since`. A cached one is valid only if Redis confirms it. */
  getCached(query: AuthorizationQuery, since: number): Promise<AuthorizationResult> | AuthorizationResult;
  /** A result fetched after `since`. */
  fetchAfter(query: AuthorizationQuery, since: number): Promise<AuthorizationResult>;
}

const invalid: Invalid = { outcome: 'invalid' };

const unavailable: Unavailable = { outcome: 'unavailable' };

/** Past its soft TTL a cached result is refreshed in the background. Past its hard TTL requests wait for a new one. */
const softTtlMs = 20_000;

const hardTtlMs = 30_000;

/** Milliseconds between background refetches while identity-service does not respond. */
const retryEveryMs = 1_000;

/** A request that began this close to a fetch waits for it without a timer of its own. */
const toleranceMs = 50;

interface InFlightFetch {
  readonly requestedAt: number;
  /** Monotonic milliseconds at which the call was made. */
  readonly startedAt: number;
  readonly result: Promise<AuthorizationResult>;
}

/** Fetches for every query; `fetchAfter` and `getCached` differ in the offline check only. */
function createUncachedAuthorizer(deps: AuthorizerDeps): Authorizer {
  const fetchNow = (query: AuthorizationQuery) => deps.fetchAuthorization(query, deps.sequence());
  return {
    fetchAfter: fetchNow,
    getCached: (query) => (deps.hasValidTag(query.bearer) ? fetchNow(query) : invalid),
  };
}

/** Starts fetches into a cache, at most one at a time for a key. */
function createFetcher(deps: AuthorizerDeps, invalidBearers: InvalidBearers) {
  const { fetchAuthorization, sequence, monotonicNow, budgetMs, cacheSize } = deps;
  const cache = new LRUCache<string, CachedResult>({ max: cacheSize });
  const inFlight = new Map<string, InFlightFetch>();

  function start(key: string, query: AuthorizationQuery): InFlightFetch {
    const requestedAt = sequence();
    const startedAt = monotonicNow();
    const result = fetchAuthorization(query, requestedAt).then((received) => {
      inFlight.delete(key);
      if (received.outcome === 'unavailable') return received;
      if (received.outcome === 'invalid') invalidBearers.add(query.bearer, received);
      if (received.outcome === 'invalid' || received.outcome === 'expired') cache.delete(key);
      else cache.set(key, { result: received, fetchedAt: startedAt, failedAt: undefined });
      return received;
    });
    const flight = { requestedAt, startedAt, result };
    inFlight.set(key, flight);
    return flight;
  }

  /** The result, or `unavailable` when the request runs out of time first. The fetch continues for other requests. */
  function waitFor(flight: InFlightFetch, { startedAt }: AuthorizationQuery): Promise<AuthorizationResult> {
    if (flight.startedAt <= startedAt + toleranceMs) return flight.result;
    const leftMs = Math.max(0, startedAt + budgetMs - monotonicNow());
    return withTimeout(flight.result, leftMs).catch(() => unavailable);
  }

  // A fetch that began before `since` may have read a credential that has been revoked since: it is not shared.
  async function fetchAfter(
    key: string,
    query: AuthorizationQuery,
    since: number,
  ): Promise<AuthorizationResult> {
    const earlier = inFlight.get(key);
    if (earlier === undefined) return waitFor(start(key, query), query);
    const result = await waitFor(earlier, query);
    if (earlier.requestedAt >= since || monotonicNow() >= query.startedAt + budgetMs) return result;
    return fetchAfter(key, query, since);
  }

  /** @returns whether a fetch was started; false while one is in flight */
  function refreshInBackground(key: string, query: AuthorizationQuery): boolean {
    if (inFlight.has(key)) return false;
    start(key, query);
    return true;
  }

  return { cache, fetchAfter, refreshInBackground };
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer {
  const { hasValidTag, monotonicNow, cacheSize } = deps;
  if (cacheSize === 0) return createUncachedAuthorizer(deps);
  const invalidBearers = createInvalidBearers(cacheSize, monotonicNow);
  const { cache, fetchAfter, refreshInBackground } = createFetcher(deps, invalidBearers);

  /** Stale-if-error: past the hard TTL a cached result is served only while identity-service does not respond. */
  async function refetch(
    key: string,
    query: AuthorizationQuery,
    since: number,
    cached: CachedResult,
  ): Promise<AuthorizationResult> {
    if (cached.failedAt === undefined) {
      const result = await fetchAfter(key, query, since);
      if (result.outcome !== 'unavailable') return result;
      cached.failedAt = monotonicNow();
    } else if (monotonicNow() - cached.failedAt >= retryEveryMs && refreshInBackground(key, query)) {
      cached.failedAt = monotonicNow();
    }
    return cached.result;
  }

  return {
    fetchAfter: (query, since) => fetchAfter(cacheKey(query), query, since),
    getCached: (query, since) => {
      const key = cacheKey(query);
      const cached = cache.get(key);
      if (cached === undefined) {
        const { bearer } = query;
        if (!hasValidTag(bearer)) return invalid;
        return invalidBearers.find(bearer) ?? fetchAfter(key, query, since);
      }
      const age = monotonicNow() - cached.fetchedAt;
      if (age >= hardTtlMs) return refetch(key, query, since, cached);
      if (age >= softTtlMs) refreshInBackground(key, query);
      return cached.result;
    },
  };
}
