import { expect } from '@jest/globals';
import { expectEventually } from './expect-eventually.ts';
import type { Platform } from './platform.ts';

/**
 * Resolves when every identity-service publishes changes at once: after an outage of Redis each connects again. Until then
 * they say that a change is pending, and promise less.
 */
export function untilPublishing(platform: Platform): Promise<void> {
  return expectEventually(
    async () => {
      // Calls go to one replica after the other.
      const keys = await Promise.all(platform.identities.map(() => platform.createKey()));
      for (const key of keys) expect(await platform.deleteKey(key)).toBe('PROPAGATION_CONFIRMED');
    },
    { withinMs: 10_000 },
  );
}
