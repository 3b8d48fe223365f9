import { toAppError } from '@platform/service-kit/app-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import { startLoop } from '@platform/service-kit/loop.ts';
import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import type { OutboxStore, PendingEvent } from './store.ts';

/**
 * Appends events to the feed of a business, in their order; those that are there already are left.
 * @throws AppError unavailable when business-service does not respond
 */
export type AppendEvents = (businessId: number, events: readonly PendingEvent[]) => Promise<void>;

interface OutboxDeps {
  readonly outbox: OutboxStore;
  readonly appendEvents: AppendEvents;
  /** Called with a business whose events were refused. */
  readonly onRefused: (businessId: number, error: unknown) => void;
}

/** Events that are read at once. */
const batchSize = 500;

/** Events of one call: below the size of a message. */
const callSize = 50;

/**
 * Appends the oldest events and removes them. Replicas may do it at once: each event is appended once, and
 * a later one of its business is read together with it or after its removal, so their order stays. Resolves to the age of
 * the oldest event in seconds; 0 where there was none.
 */
async function sendPending(
  { outbox, appendEvents, onRefused }: OutboxDeps,
  signal: AbortSignal,
): Promise<number> {
  const pending = await outbox.pending(batchSize);
  for (const [businessId, events] of Map.groupBy(pending, (event) => event.businessId)) {
    if (signal.aborted) break;
    const sent = events.slice(0, callSize);
    try {
      await appendEvents(businessId, sent);
    } catch (error) {
      // The others of this round would wait in vain.
      if (toAppError(error).kind === 'unavailable') throw error;
      onRefused(businessId, error);
      continue;
    }
    await outbox.remove(sent.map(({ id }) => id));
  }
  return pending[0]?.ageSeconds ?? 0;
}

/** Milliseconds between two rounds. */
const roundMs = 500;

interface OutboxOptions extends Omit<OutboxDeps, 'onRefused'> {
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Appends recorded events to the feeds, as long as the service runs. */
export function startOutbox(
  { registry, logger, ...deps }: OutboxOptions,
  resources: AsyncDisposableStack,
): void {
  const oldest = new Gauge({
    name: 'identity_outbox_oldest_seconds',
    help: 'Age of the oldest event that is not in the feed of its business yet.',
    registers: [registry],
  });
  const onRefused = (businessId: number, error: unknown) =>
    logger.error({ err: error, businessId }, 'events refused by business-service');
  const loop = startLoop({
    name: 'outbox',
    everyMs: roundMs,
    round: async (signal) => oldest.set(await sendPending({ ...deps, onRefused }, signal)),
    logger,
  });
  resources.defer(loop.stop);
}
