import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { AppendEvents } from '../../clients/business.ts';
import type { OutboxStore, PendingEvent } from './store.ts';

interface OutboxDeps {
  readonly outbox: OutboxStore;
  readonly appendEvents: AppendEvents;
  /** Called with the age of the oldest event in seconds, 0 where there is none, before any is sent: a round may fail. */
  readonly onOldest: (seconds: number) => void;
  /** Called with a business whose events were refused. */
  readonly onRefused: (businessId: number, error: unknown) => void;
}

/** Events that are read at once. */
const batchSize = 500;

/** Events of one call: below the size of a message. */
const callSize = 50;

/** Milliseconds until events that were refused are sent again. */
const refusedPauseMs = 60_000;

/** Businesses whose events were refused. Their events are skipped for a while, so that they do not delay others. */
class RefusedEvents {
  readonly #pauses = new Map<number, { readonly oldestAt: number; readonly until: number }>();

  /** Pauses a business. The argument is the oldest of its refused events. */
  add({ businessId, ageSeconds }: PendingEvent): void {
    const now = performance.now();
    this.#pauses.set(businessId, { oldestAt: now - ageSeconds * 1_000, until: now + refusedPauseMs });
  }

  /** Businesses that are still paused. */
  businessIds(): number[] {
    for (const [businessId, { until }] of this.#pauses) {
      if (until <= performance.now()) this.#pauses.delete(businessId);
    }
    return [...this.#pauses.keys()];
  }

  /** Age of the oldest event of paused businesses, in seconds; 0 without any. */
  oldestSeconds(): number {
    const since = Array.from(this.#pauses.values(), ({ oldestAt }) => oldestAt);
    return since.length === 0 ? 0 : (performance.now() - Math.min(...since)) / 1_000;
  }
}

/** Appends and removes events of one business, in their order. */
async function sendEvents(
  { outbox, appendEvents }: OutboxDeps,
  businessId: number,
  events: readonly PendingEvent[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < events.length && !signal.aborted; at += callSize) {
    const sent = events.slice(at, at + callSize);
    await appendEvents(businessId, sent);
    await outbox.remove(sent.map(({ id }) => id));
  }
}

/**
 * Appends the oldest events and removes them. Replicas may do so concurrently: each event is appended once, and a later
 * event of its business is read together with it or after its removal, so the order is kept.
 * @throws AppError unavailable when business-service does not respond
 */
async function sendPending(deps: OutboxDeps, refused: RefusedEvents, signal: AbortSignal): Promise<void> {
  const pending = await deps.outbox.pending(batchSize, refused.businessIds());
  deps.onOldest(Math.max(pending[0]?.ageSeconds ?? 0, refused.oldestSeconds()));
  for (const [businessId, events] of Map.groupBy(pending, (event) => event.businessId)) {
    if (signal.aborted) break;
    try {
      await sendEvents(deps, businessId, events, signal);
    } catch (error) {
      // The others of this round would wait in vain.
      if (toAppError(error).kind === 'unavailable') throw error;
      deps.onRefused(businessId, error);
      if (events[0] !== undefined) refused.add(events[0]);
    }
  }
}

/** Milliseconds between two rounds. */
const roundMs = 1_000;

interface OutboxOptions extends Omit<OutboxDeps, 'onOldest' | 'onRefused'> {
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
  const onOldest = (seconds: number) => oldest.set(seconds);
  const refused = new RefusedEvents();
  const loop = startLoop({
    name: 'outbox',
    everyMs: roundMs,
    round: (signal) => sendPending({ ...deps, onOldest, onRefused }, refused, signal),
    logger,
  });
  resources.defer(loop.stop);
}
