import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { resealSecrets } from '../signing/rotation.ts';
import type { SealedSecrets, SealStore } from './seal-store.ts';

interface ResealOptions {
  readonly store: SealStore;
  readonly sealer: Sealer;
  readonly logger: Logger;
}

/** Endpoints that one statement reads. */
const pageSize = 500;

/** Milliseconds between rounds. Repeated, because a replica with the previous configuration may still use the old key. */
const everyMs = 3_600_000;

/**
 * Encrypts secrets again that were encrypted with an older key, so that the older key can be dropped. Replicas may do so
 * concurrently: a row is only replaced if it has not changed since it was read.
 */
export function startResealing(options: ResealOptions): Loop {
  const { store, logger } = options;
  return startLoop({
    name: 'secrets of endpoints',
    everyMs,
    round: async (signal) => {
      const counts = { current: 0, resealed: 0, changed: 0, unopened: 0 };
      let rows = await store.listAfter('', pageSize);
      while (rows.length > 0) {
        for (const row of rows) {
          if (signal.aborted) return;
          counts[await reseal(options, row)] += 1;
        }
        rows = await store.listAfter(rows.at(-1)?.id ?? '', pageSize);
      }
      logger.info(counts, 'secrets of endpoints looked through');
    },
    logger,
  });
}

async function reseal(
  { store, sealer, logger }: ResealOptions,
  row: SealedSecrets,
): Promise<'current' | 'resealed' | 'changed' | 'unopened'> {
  const next = resealSecrets(sealer, row.id, row.sealedSecrets);
  if (next === 'current') return 'current';
  if (next === 'unopened') {
    logger.warn({ endpointId: row.id }, 'no encryption key opens the secrets of an endpoint');
    return 'unopened';
  }
  return (await store.replace(row, next)) ? 'resealed' : 'changed';
}
