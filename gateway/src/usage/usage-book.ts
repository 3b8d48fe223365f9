import type { Principal } from '../authorization/answer.ts';

/** Answers to one credential in one minute, by class. */
export interface UsageEntry {
  readonly principal: Principal;
  /** Start of the minute, milliseconds since 1970. */
  readonly minute: number;
  count2xx: number;
  count4xx: number;
  count429: number;
  count5xx: number;
  lastUsedAt: number;
  lastUsedIp: string;
  /** Scopes of the routes that answered. */
  readonly scopesUsed: Set<string>;
}

/** One answer to a credential. */
export interface Use {
  readonly status: number;
  readonly clientIp: string;
  /** Scope that the route asked for; null where it asked for none. */
  readonly scope: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counts what credentials did, in memory, until it is reported. */
export interface UsageBook {
  record(principal: Principal, use: Use): void;
  /** Takes up to `max` entries out. */
  take(max: number): UsageEntry[];
  /** Entries that were given up because nobody took them. */
  readonly dropped: number;
}

const minuteMs = 60_000;

/** While reports do not get through, at most `maxEntries` are kept; what comes on top is dropped and counted. */
export function createUsageBook(maxEntries: number): UsageBook {
  const entries = new Map<string, UsageEntry>();
  let dropped = 0;

  function entryOf(principal: Principal, minute: number): UsageEntry | undefined {
    const key = `${principal.credentialId}@${minute}`;
    const existing = entries.get(key);
    if (existing !== undefined) return existing;
    if (entries.size >= maxEntries) return undefined;
    const counts = { count2xx: 0, count4xx: 0, count429: 0, count5xx: 0 };
    const created = {
      principal,
      minute,
      ...counts,
      lastUsedAt: 0,
      lastUsedIp: '',
      scopesUsed: new Set<string>(),
    };
    entries.set(key, created);
    return created;
  }

  return {
    record: (principal, { status, clientIp, scope, at }) => {
      const entry = entryOf(principal, at - (at % minuteMs));
      if (entry === undefined) {
        dropped++;
        return;
      }
      entry[classOf(status)]++;
      entry.lastUsedAt = at;
      entry.lastUsedIp = clientIp;
      if (scope !== null && status < 400) entry.scopesUsed.add(scope);
    },
    take: (max) => {
      const taken = [...entries].slice(0, max);
      for (const [key] of taken) entries.delete(key);
      return taken.map(([, entry]) => entry);
    },
    get dropped() {
      return dropped;
    },
  };
}

function classOf(status: number): 'count2xx' | 'count4xx' | 'count429' | 'count5xx' {
  if (status === 429) return 'count429';
  if (status >= 500) return 'count5xx';
  return status >= 400 ? 'count4xx' : 'count2xx';
}
