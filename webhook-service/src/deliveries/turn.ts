import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { AttemptResult } from '../attempts/result.ts';
import { nextAttemptAt } from '../attempts/schedule.ts';
import type { Turn } from '../queue/queue.ts';
import { createWaker, type Waker } from '../queue/waker.ts';
import type { SignatureHeaders } from '../signing/secret.ts';
import type { Sign } from '../signing/signer.ts';
import type { Instant } from '../values.ts';
import type { Claim, Claimed, ClaimRequest, TurnEndpoint } from './claim-store.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { afterAttempt, concurrencyOf, type Health, healthOf, pauseOf } from './health.ts';
import type { CheckPermission } from './recipients.ts';
import type { AttemptRecord, HealthRecord } from './result-store.ts';
import type { TraceAttempt } from './trace.ts';

/** A result to store. */
export interface RecordedAttempt {
  readonly attempt: AttemptRecord;
  readonly health: HealthRecord;
}

export interface TurnDeps {
  /** Finds what is due; undefined when the endpoint was deleted, or a later turn holds it. */
  readonly claim: (request: ClaimRequest) => Promise<Claimed | undefined>;
  /** Skips what is pending for a disabled endpoint, one batch; resolves to how many. */
  readonly skip: (endpointId: string, limit: number) => Promise<number>;
  readonly withdraw: (claim: Claim) => Promise<void>;
  readonly checkPermission: CheckPermission;
  readonly send: (url: string, headers: SignatureHeaders, body: string) => Promise<AttemptResult>;
  readonly traceAttempt: TraceAttempt;
  readonly sign: Sign;
  /** Stores a result; false when a later turn holds the endpoint. */
  readonly record: (result: RecordedAttempt) => Promise<boolean>;
  readonly observe: (result: AttemptResult) => void;
  readonly logger: Logger;
  readonly now: () => Instant;
}

/** Maximum attempts in flight per endpoint. A crash may cause all of them to be sent twice. */
const maxInFlight = 5;

/** Milliseconds after which a turn ends even if more is due, so that other endpoints get turns. */
const turnMs = 2_000;

/** Milliseconds between checks for newly due deliveries while attempts are in flight. */
const lookMs = 500;

/** Rows per statement. */
const skipSize = 500;

/** A turn that is being taken. */
interface RunningTurn {
  readonly deps: TurnDeps;
  readonly endpointId: string;
  /** Identifies the turn in the database. */
  readonly key: string;
  /** Of the receiver at `url`; changes with every result of it. */
  health: Health;
  /** URL of the latest claim. Attempts to an earlier URL may still be in flight. */
  url: string;
  hasBegun: boolean;
  /** Deliveries that are being attempted, and when each began, in milliseconds of performance.now(). */
  readonly inFlight: Map<string, number>;
  /** Woken when one of them ends. */
  readonly ended: Waker;
  /** First error of an attempt or a claim. It ends the turn after the attempts in flight. */
  failure: { readonly error: unknown } | undefined;
}

/**
 * Sends what is due to an endpoint, the longest due first, until nothing is due, the circuit opens, the turn's time ends or
 * `signal` aborts. The end of an attempt makes room for the next one at once. While a slow attempt outlasts the turn's time,
 * others continue, because the turn cannot end before it.
 */
export async function takeTurn(deps: TurnDeps, turn: Turn, signal: AbortSignal): Promise<void> {
  const running: RunningTurn = {
    deps,
    endpointId: turn.endpointId,
    key: `${turn.id}.${turn.retryCount}`,
    health: { consecutiveOutages: 0, isProven: false },
    url: '',
    hasBegun: false,
    inFlight: new Map(),
    ended: createWaker(),
    failure: undefined,
  };
  const endsAt = performance.now() + turnMs;
  const hasTime = () =>
    performance.now() < endsAt || [...running.inFlight.values()].some((at) => at < endsAt);
  let more = true;
  while (
    (more || running.inFlight.size > 0) &&
    !signal.aborted &&
    running.failure === undefined &&
    hasTime()
  ) {
    more = await startDue(running).catch((error: unknown) => {
      running.failure ??= { error };
      return false;
    });
    if (running.inFlight.size > 0) await running.ended.wait(lookMs);
  }
  while (running.inFlight.size > 0) await running.ended.wait(lookMs);
  if (running.failure !== undefined) throw running.failure.error;
}

/** Starts as many attempts as there is room for; false when fewer were due. */
async function startDue(running: RunningTurn): Promise<boolean> {
  const { deps, endpointId, key: turn, hasBegun, inFlight } = running;
  const roomOf = (health: Health) => concurrencyOf(health, maxInFlight) - inFlight.size;
  const limit = hasBegun ? roomOf(running.health) : maxInFlight;
  if (limit <= 0) return true;
  const claimedAtMs = performance.now();
  const request = { endpointId, turn, begins: !hasBegun, inFlight: [...inFlight.keys()], limit };
  const claimed = await deps.claim(request);
  running.hasBegun = true;
  if (claimed === undefined) return false;
  const { endpoint, deliveries } = claimed;
  if (!endpoint.enabled) return (await deps.skip(endpointId, skipSize)) === skipSize;
  // While attempts to this URL are in flight, the health in memory is newer than the row.
  if (inFlight.size === 0 || endpoint.url !== running.url) running.health = healthOf(endpoint);
  running.url = endpoint.url;
  const room = Math.max(0, roomOf(running.health));
  for (const delivery of deliveries.slice(0, room)) start(running, endpoint, delivery, claimedAtMs);
  return deliveries.length >= room;
}

function start(
  running: RunningTurn,
  endpoint: TurnEndpoint,
  delivery: ClaimedDelivery,
  claimedAtMs: number,
): void {
  const { inFlight, ended } = running;
  inFlight.set(delivery.id, performance.now());
  deliver(running, endpoint, delivery, claimedAtMs)
    .catch((error: unknown) => {
      running.failure ??= { error };
    })
    .finally(() => {
      inFlight.delete(delivery.id);
      ended.wake();
    });
}

async function deliver(
  running: RunningTurn,
  endpoint: TurnEndpoint,
  delivery: ClaimedDelivery,
  claimedAtMs: number,
): Promise<void> {
  const { deps, key: turn } = running;
  const { owner, madeBy } = endpoint;
  const { id: deliveryId, eventId } = delivery;
  const line = { eventId, deliveryId, endpointId: endpoint.id };
  const permission = await deps.checkPermission({ owner, madeBy, delivery, turn, claimedAtMs });
  if (permission !== 'allowed') {
    if (permission === 'withdrawn') await deps.withdraw({ deliveryId, turn });
    deps.logger.info({ ...line, permission }, 'no attempt');
    return;
  }
  const startedAt = deps.now();
  const headers = deps.sign(endpoint, eventId, startedAt, delivery.body);
  const result = await deps.traceAttempt(endpoint, delivery, () =>
    deps.send(endpoint.url, headers, delivery.body),
  );
  // Ended by the service itself: the delivery stays due.
  if (result.outcome === 'cancelled') return;
  if (endpoint.url === running.url) running.health = afterAttempt(running.health, result);
  deps.observe(result);
  const attempt = attemptRecord(running, delivery, result, startedAt);
  const { outcome, status, durationMs, errorCode } = result;
  deps.logger.info(
    { ...line, number: attempt.number, outcome, status, errorCode, ms: durationMs },
    'attempt',
  );
  const stored = await deps.record({ attempt, health: healthRecord(running, endpoint, result) });
  if (!stored) deps.logger.warn(line, 'another turn has begun meanwhile');
}

function attemptRecord(
  { key: turn }: RunningTurn,
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

function healthRecord(
  { health }: RunningTurn,
  { id: endpointId, url }: TurnEndpoint,
  { outcome }: AttemptResult,
): HealthRecord {
  return {
    endpointId,
    url,
    succeeded: outcome === 'delivered',
    failing: outcome !== 'delivered',
    consecutiveOutages: health.consecutiveOutages,
    pauseMs: pauseOf(health),
    gone: outcome === 'gone',
  };
}

/** Health of each endpoint, and of each of its URLs, after a batch of results, which are in the order of their ends. */
export function mergeHealth(records: readonly HealthRecord[]): HealthRecord[] {
  const merged = new Map<string, HealthRecord>();
  for (const record of records) {
    const key = `${record.endpointId} ${record.url}`;
    const before = merged.get(key);
    merged.set(key, {
      ...record,
      succeeded: record.succeeded || before?.succeeded === true,
      gone: record.gone || before?.gone === true,
    });
  }
  return [...merged.values()];
}
