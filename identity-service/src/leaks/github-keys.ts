import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';

/** Public keys with which GitHub signs its reports. */
export interface GithubKeys {
  /** Undefined: there is no such key. @throws AppError unavailable while the list cannot be fetched */
  find(identifier: string): Promise<KeyObject | undefined>;
}

interface GithubKeysDeps {
  readonly url: string;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
  readonly logger: Logger;
}

/** Milliseconds for which a list is used, between two attempts to fetch it, and for one of them. */
const maxAgeMs = 3_600_000;

const minPauseMs = 60_000;

const timeoutMs = 5_000;

const keyList = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

/**
 * Keeps the list for an hour. Fetches it when a key is not in it, once a minute at most, so that strangers cause no other
 * requests; a list that is out of date is used while no newer one can be fetched.
 */
export function createGithubKeys({ url, monotonicNow, logger }: GithubKeysDeps): GithubKeys {
  let keys: ReadonlyMap<string, KeyObject> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    triedAt = monotonicNow();
    try {
      keys = await fetchKeys(url);
      fetchedAt = triedAt;
    } catch (error) {
      logger.warn({ err: error }, 'the keys of GitHub could not be fetched');
    } finally {
      inFlight = undefined;
    }
  }

  return {
    find: async (identifier) => {
      const now = monotonicNow();
      const isKnown = keys?.has(identifier) === true && now - fetchedAt < maxAgeMs;
      if (!isKnown && now - triedAt >= minPauseMs) inFlight ??= refresh();
      if (!isKnown) await inFlight;
      if (keys === undefined) throw unavailable();
      return keys.get(identifier);
    },
  };
}

async function fetchKeys(url: string): Promise<ReadonlyMap<string, KeyObject>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the list of keys responded with ${response.status}`);
  const { public_keys } = keyList.parse(await response.json());
  return new Map(public_keys.map(({ key_identifier, key }) => [key_identifier, createPublicKey(key)]));
}

function unavailable(): AppError {
  return new AppError('unavailable', 'github_keys_unavailable', 'the keys of GitHub are not available');
}
