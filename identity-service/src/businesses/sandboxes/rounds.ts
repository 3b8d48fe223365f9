import { randomUUID } from 'node:crypto';
import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Actor } from '../../platform/actor.ts';
import { clearSandbox, type EndSandboxDeps, endSandbox } from './operations.ts';

interface SandboxRoundsDeps extends EndSandboxDeps {
  readonly logger: Logger;
}

/** Milliseconds between two rounds. */
const roundMs = 10_000;

/** Makes the orders of sandboxes that come one a minute, and ends those that are no longer used, as long as the service runs. */
export function startSandboxRounds(deps: SandboxRoundsDeps, resources: AsyncDisposableStack): void {
  const { sandboxes, sandboxOrders, logger } = deps;
  const round = async (signal: AbortSignal) => {
    for (const businessId of await sandboxes.takeDueOrders()) {
      await sandboxOrders.add(businessId, { count: 1, inAllStates: false });
    }
    const actor: Actor = { kind: 'system', id: 'sandboxes', clientIp: undefined, requestId: randomUUID() };
    await sandboxes.announceEnds(actor);
    for (const businessId of await sandboxes.due()) {
      if (signal.aborted) return;
      await endSandbox(deps, actor, businessId);
    }
    for (const businessId of await sandboxes.toClear()) {
      if (signal.aborted) return;
      await clearSandbox(deps, actor, businessId);
      await sandboxes.setCleared(businessId);
    }
  };
  const loop = startLoop({ name: 'sandboxes', everyMs: roundMs, round, logger });
  resources.defer(loop.stop);
}
