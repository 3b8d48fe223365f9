import { type Loop, startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Warning } from './endpoint.ts';
import type { WarningStore } from './warning-store.ts';

interface WarningOptions {
  readonly store: WarningStore;
  /** Warns the owners, once however often it is called; false when some could not be reached yet. */
  readonly warnOwners: (warning: Warning) => Promise<boolean>;
  readonly logger: Logger;
  /** Milliseconds between two rounds. */
  readonly intervalMs: number;
}

/** Warnings of one round. */
const maxWarnings = 50;

/** Warns owners of failing endpoints. A warning that could not be sent is repeated a minute later if it still applies. */
export function startWarnings({ store, warnOwners, logger, intervalMs }: WarningOptions): Loop {
  const warn = async (warning: Warning) => {
    const { endpointId, step } = warning;
    try {
      if (!(await warnOwners(warning))) return;
      await store.setWarned(warning);
      logger.info({ endpointId, step }, 'owners warned');
    } catch (error) {
      logger.warn({ err: error, endpointId, step }, 'owners not warned');
    }
  };
  return startLoop({
    name: 'warnings',
    everyMs: intervalMs,
    round: async (signal) => {
      for (let count = 0; count < maxWarnings && !signal.aborted; count++) {
        // One at a time: emails take long, and an endpoint may recover while other owners get theirs.
        const [warning] = await store.take(1);
        if (warning === undefined) return;
        await warn(warning);
      }
    },
    logger,
  });
}
