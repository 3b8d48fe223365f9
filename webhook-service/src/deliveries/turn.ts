import type { Logger } from '@platform/service-kit/logger.ts';
import type { AttemptResult } from '../attempts/result.ts';
import { nextAttemptAt } from '../attempts/schedule.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Turn } from '../queue/queue.ts';
import type { SignatureHeaders } from '../signing/secret.ts';
import type { Sign } from '../signing/signer.ts';
import type { Instant } from '../values.ts';
import type { AttemptRecord, ClaimStore, HealthRecord } from './claim-store.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { afterAttempt, concurrencyOf, type Health, healthOf, pauseOf } from './health.ts';
import type { CheckPermission } from './recipients.ts';

/** A result to store. */
export interface RecordedAttempt {
  readonly attempt: AttemptRecord;
  readonly health: HealthRecord;
}

export interface TurnDeps {
  readonly claims: ClaimStore;
  readonly findEndpoint: (id: string) => Promise<Endpoint | undefined>;
  readonly checkPermission: CheckPermission;
  readonly send: (url: string, headers: SignatureHeaders, body: string) => Promise<AttemptResult>;
  readonly sign: Sign;
  /** Stores a result; false when another turn has claimed the delivery meanwhile. */
  readonly record: (result: RecordedAttempt) => Promise<boolean>;
  readonly observe: (result: AttemptResult) => void;
  readonly logger: Logger;
  readonly now: () => Instant;
}

/** Attempts in flight per endpoint. */
const maxInFlight = 5;

/** Deliveries that are claimed at once: what a crash may send twice. */
const claimSize = 20;

/** Milliseconds after which a turn ends, for others to have theirs, though more is due. */
const turnMs = 2_000;

/** Rows per statement. */
const skipSize = 500;

/**
 * Sends what is due to an endpoint, the longest due first, until nothing is, the circuit opens, the turn's time ends or
 * `signal` aborts. Attempts in flight are waited for.
 */
export async function takeTurn(deps: TurnDeps, turn: Turn, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + turnMs;
  let more = true;
  while (more && !signal.aborted && performance.now() < endsAt) {
    const endpoint = await deps.findEndpoint(turn.endpointId);
    if (endpoint === undefined) return;
    more = endpoint.enabled
      ? await sendBatch(deps, endpoint, turn, signal)
      : (await deps.claims.skip(endpoint.id, skipSize)) === skipSize;
  }
}

/** Sends some of what is due; false when nothing is, or the circuit is open. */
async function sendBatch(
  deps: TurnDeps,
  endpoint: Endpoint,
  turn: Turn,
  signal: AbortSignal,
): Promise<boolean> {
  const { claims } = deps;
  if (endpoint.pausedUntil !== null && (await claims.pausedMs(endpoint.id)) > 0) return false;
  const key = `${turn.id}.${turn.retryCount}`;
  const health = healthOf(endpoint);
  const concurrency = concurrencyOf(health, maxInFlight);
  const claimed = await claims.claim(endpoint.id, key, concurrency === 1 ? 1 : claimSize);
  await sendAll({ deps, endpoint, turn: key, health, signal }, claimed, concurrency);
  return claimed.length > 0;
}

/** One batch of one turn. */
interface Batch {
  readonly deps: TurnDeps;
  readonly endpoint: Endpoint;
  readonly turn: string;
  /** Changes with every result. */
  health: Health;
  readonly signal: AbortSignal;
}

/** Attempts the deliveries, `concurrency` at once, until the circuit opens. What is left is claimed again later. */
async function sendAll(
  batch: Batch,
  claimed: readonly ClaimedDelivery[],
  concurrency: number,
): Promise<void> {
  const rest = claimed.values();
  const wasOpen = pauseOf(batch.health) !== undefined;
  const lane = async () => {
    for (const delivery of rest) {
      const isOpen = !wasOpen && pauseOf(batch.health) !== undefined;
      if (isOpen || batch.signal.aborted) return;
      await deliver(batch, delivery);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: concurrency }, lane));
  const failed = lanes.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deliver(batch: Batch, delivery: ClaimedDelivery): Promise<void> {
  const { deps, endpoint, turn } = batch;
  const permission = await deps.checkPermission(endpoint.owner, delivery, turn);
  if (permission !== 'allowed') {
    if (permission !== 'gone') await deps.claims.finish([delivery.id], turn, permission);
    deps.logger.info({ deliveryId: delivery.id, endpointId: endpoint.id, permission }, 'no attempt');
    return;
  }
  const startedAt = deps.now();
  const headers = deps.sign(endpoint, delivery.eventId, startedAt, delivery.body);
  const result = await deps.send(endpoint.url, headers, delivery.body);
  // Ended by the service itself: the delivery stays due.
  if (result.outcome === 'cancelled') return;
  batch.health = afterAttempt(batch.health, result);
  deps.observe(result);
  const attempt = attemptRecord(batch, delivery, result, startedAt);
  const { outcome, status, durationMs, errorCode } = result;
  const { eventId } = delivery;
  const line = { eventId, deliveryId: delivery.id, endpointId: endpoint.id, number: attempt.number };
  deps.logger.info({ ...line, outcome, status, errorCode, ms: durationMs }, 'attempt');
  const stored = await deps.record({ attempt, health: healthRecord(batch, result) });
  if (!stored) deps.logger.warn(line, 'claimed by another turn meanwhile');
}

function attemptRecord(
  { turn }: Batch,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  startedAt: Instant,
): AttemptRecord {
  const { outcome, status, durationMs, responseStart, errorCode, retryAfterMs } = result;
  const round = delivery.round + 1;
  const wait = nextAttemptAt(round, 0, Math.random(), retryAfterMs);
  const undelivered = wait === undefined ? 'failed' : 'pending';
  return {
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    turn,
    number: delivery.attempts + 1,
    startedAtMs: startedAt.getTime(),
    durationMs,
    outcome,
    status,
    responseStart,
    errorCode,
    deliveryStatus: outcome === 'delivered' ? 'delivered' : undelivered,
    round,
    retryAfterMs: wait,
  };
}

function healthRecord({ endpoint, health }: Batch, { outcome }: AttemptResult): HealthRecord {
  return {
    endpointId: endpoint.id,
    succeeded: outcome === 'delivered',
    failing: outcome !== 'delivered',
    consecutiveOutages: health.consecutiveOutages,
    pauseMs: pauseOf(health),
    gone: outcome === 'gone',
  };
}

/** Health of each endpoint after a batch of results, which are in the order of their ends. */
export function mergeHealth(records: readonly HealthRecord[]): HealthRecord[] {
  const merged = new Map<string, HealthRecord>();
  for (const record of records) {
    const before = merged.get(record.endpointId);
    merged.set(record.endpointId, {
      ...record,
      succeeded: record.succeeded || before?.succeeded === true,
      gone: record.gone || before?.gone === true,
    });
  }
  return [...merged.values()];
}
