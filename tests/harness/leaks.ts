import { expect } from '@jest/globals';
import type { TestKey } from './api-keys.ts';
import { expectEventually } from './expect-eventually.ts';
import type { HttpResponse } from './http-request.ts';
import { metricOf } from './metrics.ts';
import type { Platform } from './platform.ts';

/** Statuses of a request with a key through each gateway, all of which have cached it when `warm` was called. */
export const statuses = (platform: Platform, { keyString }: TestKey): Promise<number[]> =>
  Promise.all(platform.gateways.map(async (_, gateway) => (await platform.me(keyString, gateway)).status));

/** Uses a key through every gateway, so that each has an authorization that a revocation must end. */
export async function warm(platform: Platform, key: TestKey): Promise<void> {
  expect(await statuses(platform, key)).toEqual(platform.gateways.map(() => 200));
}

/** Reports strings as found, and returns the response. */
export const report = (
  platform: Platform,
  strings: readonly unknown[],
  more: object = {},
  gateway = 0,
): Promise<HttpResponse> => platform.request(gateway, 'POST', '/v2/leaks', { body: { strings, ...more } });

/** Waits until every gateway responds to a key with a status. */
export const untilRefused = (platform: Platform, key: TestKey, status: number): Promise<void> =>
  expectEventually(
    async () => expect(await statuses(platform, key)).toEqual(platform.gateways.map(() => status)),
    // Gateways ask again within 30 seconds when Redis was lost meanwhile.
    { withinMs: 40_000 },
  );

/** Reports that were looked at, over all replicas: those with a string that may be a credential. */
export async function lookedAt({ identities }: Pick<Platform, 'identities'>): Promise<number> {
  const counts = await Promise.all(
    identities.map((identity) =>
      metricOf(identity, 'identity_background_work_total', { work: 'leak report', outcome: 'done' }),
    ),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
